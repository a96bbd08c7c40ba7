"""Time Petri nets: transitions that wait, on discrete time and in classes of dense time."""

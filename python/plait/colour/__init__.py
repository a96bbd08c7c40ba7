"""Coloured (symmetric) nets and what is made of them: a net, a parametric model, a skeleton."""

"""Coloured (symmetric) nets and what is made of them: a net, a parametric model, a skeleton."""

from plait.colour.choice import FORMS, Form, as_model
from plait.colour.net import ColouredNet

__all__ = ["FORMS", "ColouredNet", "Form", "as_model"]

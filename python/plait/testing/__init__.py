"""Random testing of Plait: random models and formulas, comparison with the reference, shrinking.

`random_models.model(Seeded(7))` is always the same closed, valid model; `compare.hunt` holds the
engines against `plait.reference` on many of them; `shrink.shrink` makes a failing one small. From a
shell: `python -m plait.testing --count 1000`.
"""

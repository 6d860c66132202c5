"""Fits the speed model to the measurements: `python -m knowledge.calibrate`.

`rows` reads records as numbers, `fit` finds the parameters of a decode step, `prefill` those of a prompt,
`holdout` and `spread` say how wrong they are on what they have not seen, `constants` puts it all together.
Needs numpy, here and in tests only: the wizard reads the generated file.
"""

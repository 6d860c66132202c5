"""Which Engine's decision: hardware, model, workload and priorities in, one answer out.

Standard library only, Python 3.11 or newer, unchanged in the browser (Pyodide). The flow is
situation -> facts -> paths -> layouts -> memory + speed -> candidates -> bottleneck -> rules ->
launch -> benchmark, in `wizard.decide`; nothing after `decide()` decides anything.
"""

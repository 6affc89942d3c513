"""Answers that contradict themselves: more than one tensor for an output, or numbers of a call that was refused."""

from ..errors import shown


def contradiction(entry, outputs, answers):
    """Why the tensors that are named after one case cannot all be meant, or "".

    entry: the case. outputs: names of its outputs; none of a call that must be refused. answers: {name: tensor}.
    """
    id = entry["id"]
    named = [f"{id}/{name}" for name in outputs if f"{id}/{name}" in answers]
    bare, error = id in answers, f"{id}/error" in answers
    if "error" in entry:
        return f"E_FILE: expected {id}/error alone, got numbers of a call that must be refused, {id}" if bare else ""
    if error and (bare or named):
        return f"E_FILE: expected numbers or {id}/error, got both"
    if bare and len(outputs) > 1:
        return f"E_FILE: expected one tensor for each of {', '.join(outputs)}, got {shown(id)}, which names no output"
    if bare and named:
        return f"E_FILE: expected one tensor for an output, got two: {id} and {named[0]}"
    return ""

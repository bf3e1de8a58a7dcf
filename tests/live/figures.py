"""What an attack on softlbr found: a line of figures, which SOFTLBR_FIGURES (a file) keeps for benchmarks/attacks.py."""
import os

FOUND = "crashes", "hangs", "half-written", "statuses"


class Attack:
    def __init__(self, kind):
        self.kind, self.runs, self.found, self.said = kind, 0, dict.fromkeys(FOUND, 0), []

    def ran(self, wrong, what):
        """@wrong: one of FOUND, or None; then @what is not said."""
        self.runs += 1
        if wrong:
            self.found[wrong] += 1
            self.said.append(f"{wrong}: {what}")

    def end(self):
        """Says it all; the status."""
        line = f"attack: {self.kind}: {self.runs} runs, " + ", ".join(f"{n} {what}" for what, n in self.found.items())
        print("\n".join(self.said[:20] + [line]), flush=True)
        path = os.environ.get("SOFTLBR_FIGURES")
        if path:
            with open(path, "a", encoding="utf-8") as file:
                file.write(line + "\n")
        return 1 if self.said else 0

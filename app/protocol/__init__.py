"""The values that cross threads: frozen standard-library values, and nothing that computes. Imports nothing of ours."""

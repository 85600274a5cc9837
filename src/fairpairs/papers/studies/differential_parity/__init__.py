"""The paper on differential parity."""

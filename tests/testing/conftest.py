"""The fake upstream is tested with the providers that ask it."""

from tests.providers.conftest import ask as ask

"""Fakes and contracts for your own tests: no network, no keys, no mocks.

FakeUpstream   a real HTTP server on loopback that speaks every provider's wire format
Sample         a provider's wire format in one JSON file: rows, a row, a reply, an empty reply
faults         what can go wrong: `status`, `hang`, `reset`, `half`, `html`, …
Cassette       searches and fetches, recorded once and replayed without a network
ProviderContract   what every provider must do; a class of tests to subclass (needs pytest)
"""

from kensaku._lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kensaku.testing import faults as faults
    from kensaku.testing._wire import ReceivedRequest as ReceivedRequest
    from kensaku.testing.cassette import Cassette as Cassette
    from kensaku.testing.contract import ProviderContract as ProviderContract
    from kensaku.testing.faults import Fault as Fault
    from kensaku.testing.sample import Sample as Sample
    from kensaku.testing.sample import load_sample as load_sample
    from kensaku.testing.upstream import FakeUpstream as FakeUpstream

__getattr__, __dir__, __all__ = attach(
    __name__,
    _wire=["ReceivedRequest"],
    cassette=["Cassette"],
    contract=["ProviderContract"],
    faults=["Fault", "faults"],
    sample=["Sample", "load_sample"],
    upstream=["FakeUpstream"],
)

// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {
    AccessControlDefaultAdminRules
} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {BindingJson} from "./BindingJson.sol";
import {LookupDescription} from "./LookupDescription.sol";
import {UuidText} from "./UuidText.sol";

/// @title Content registry
/// @notice Says which C2PA manifest belongs to a file, found by the SHA-256 of the file's bytes (its fingerprint). Two
/// registries that never mix: the curated one, written by registrars only, and a public one, open to everyone. In each,
/// the first registration of a fingerprint stands; nothing is ever changed or removed.
/// @dev The code is immutable: a new version is a new address. A curated entry takes two storage slots, and what can be
/// computed is not stored: its endpoints are one list for all entries, and the text of its id is made when read.
contract ContentRegistry is AccessControlDefaultAdminRules, Pausable {
    /// @notice Writes the curated registry.
    bytes32 public constant REGISTRAR_ROLE = keccak256("REGISTRAR_ROLE");
    /// @notice Stops all writes.
    bytes32 public constant PAUSER_ROLE = keccak256("PAUSER_ROLE");
    /// @notice Changes where curated manifests are served.
    bytes32 public constant ENDPOINT_ROLE = keccak256("ENDPOINT_ROLE");

    /// @notice What `resolveByBindingDetailed` calls the two registries.
    uint8 public constant SOURCE_CURATED = 1;
    uint8 public constant SOURCE_PUBLIC = 2;

    /// @notice Bounds of what one registration may hold. Readers get it in one answer, so strangers must not be able to
    /// make it too large to read; all are well above what a resolution API's address and a manifest's URN need.
    uint256 public constant MAX_ENDPOINTS = 8;
    uint256 public constant MAX_ENDPOINT_LENGTH = 256;
    uint256 public constant MAX_MANIFEST_ID_LENGTH = 128;

    /// @dev One item of `registerManifests`.
    struct Registration {
        bytes32 fingerprint;
        bytes16 manifestId;
        bytes32 manifestHash;
        bytes32 userIdHash;
    }

    struct PublicEntry {
        string[] endpoints;
        string manifestId;
        bytes32 manifestHash;
        address registeredBy;
        uint64 timestamp;
    }

    /// @dev Two slots; the last three members share one. An entry exists if its manifest id is not zero.
    struct CuratedEntry {
        bytes32 manifestHash;
        bytes16 manifestId;
        uint64 timestamp;
        uint64 registrarNumber;
    }

    /// @notice A curated registration, in the form that `describe()` announces.
    event SoftBindingRegistered(bytes32 indexed fingerprint, string[] endpoints, string manifestId);
    /// @notice The same registration, findable by user: the topic is keccak-256 of the 32 bytes of `userIdHash`.
    event ManifestRegistered(bytes32 indexed fingerprint, bytes indexed userIdHash, bytes32 manifestHash);
    /// @notice A public registration; an event of its own, so that nobody can write into the curated stream.
    event PublicSoftBindingRegistered(
        bytes32 indexed fingerprint, address indexed registeredBy, string[] endpoints, string manifestId
    );
    event EndpointsChanged(string[] endpoints);

    error ManifestNotFound(bytes32 fingerprint);
    error AlreadyRegistered(bytes32 fingerprint);
    error ZeroFingerprint();
    error ZeroManifestId();
    error InvalidEndpointCount(uint256 count);
    error InvalidEndpointLength(uint256 index, uint256 length);
    error InvalidManifestIdLength(uint256 length);

    /// @dev First of our variables, so that it shares the slot with the pause flag that every write reads anyway.
    uint64 private _curatedCount;
    mapping(bytes32 fingerprint => CuratedEntry) private _curated;
    mapping(bytes32 fingerprint => PublicEntry[]) private _public;
    mapping(bytes32 fingerprint => mapping(address writer => bool)) private _hasPublicEntry;
    string[] private _endpoints;

    /// @dev Append only: an entry names its registrar by number, and must keep doing so after the role is gone. The
    /// number is the position here plus one.
    address[] private _registrars;
    /// @dev Not zero exactly while the account has REGISTRAR_ROLE, so that a write looks up role and number at once.
    mapping(address account => uint64) private _registrarNumber;

    /// @param admin Grants roles, unpauses, and starts out as pauser and as keeper of the endpoints.
    /// @param adminDelay Seconds that a change of the admin must wait.
    /// @param registrar First account with REGISTRAR_ROLE.
    /// @param endpoints Where curated manifests are served.
    constructor(address admin, uint48 adminDelay, address registrar, string[] memory endpoints)
        AccessControlDefaultAdminRules(adminDelay, admin)
    {
        _grantRole(PAUSER_ROLE, admin);
        _grantRole(ENDPOINT_ROLE, admin);
        _grantRole(REGISTRAR_ROLE, registrar);
        _setEndpoints(endpoints);
    }

    // Writing the curated registry

    function registerManifest(bytes32 fingerprint, bytes16 manifestId, bytes32 manifestHash, bytes32 userIdHash)
        external
        whenNotPaused
    {
        uint64 registrarNumber = _requireRegistrar();
        if (!_record(fingerprint, manifestId, manifestHash, registrarNumber)) revert AlreadyRegistered(fingerprint);
        ++_curatedCount;
        _announce(_eventBody(), fingerprint, manifestId, manifestHash, userIdHash);
    }

    /// @notice Registers many. A fingerprint that is already there is skipped, so that sending a half-known batch again
    /// is safe.
    /// @return added How many were new.
    function registerManifests(Registration[] calldata registrations) external whenNotPaused returns (uint256 added) {
        uint64 registrarNumber = _requireRegistrar();
        bytes memory body = _eventBody();
        for (uint256 i = 0; i < registrations.length; ++i) {
            Registration calldata item = registrations[i];
            (bytes32 fingerprint, bytes16 manifestId) = (item.fingerprint, item.manifestId);
            if (!_record(fingerprint, manifestId, item.manifestHash, registrarNumber)) continue;
            ++added;
            _announce(body, fingerprint, manifestId, item.manifestHash, item.userIdHash);
        }
        if (added > 0) _curatedCount += uint64(added);
    }

    // Writing the public registry

    /// @notice Open to everyone. One entry for a fingerprint and writer; the earliest of a fingerprint is the one that is
    /// resolved, and a curated one comes before it.
    function registerPublicManifest(
        bytes32 fingerprint,
        string[] calldata endpoints,
        string calldata manifestId,
        bytes32 manifestHash
    ) external whenNotPaused {
        if (fingerprint == 0) revert ZeroFingerprint();
        _checkEndpoints(endpoints);
        uint256 idLength = bytes(manifestId).length;
        if (idLength == 0 || idLength > MAX_MANIFEST_ID_LENGTH) revert InvalidManifestIdLength(idLength);
        if (_hasPublicEntry[fingerprint][msg.sender]) revert AlreadyRegistered(fingerprint);

        _hasPublicEntry[fingerprint][msg.sender] = true;
        _public[fingerprint].push(
            PublicEntry(endpoints, manifestId, manifestHash, msg.sender, uint64(block.timestamp))
        );
        emit PublicSoftBindingRegistered(fingerprint, msg.sender, endpoints, manifestId);
    }

    // Reading

    /// @notice The entry of a fingerprint: the curated one, or else the earliest public one.
    function resolveByBindingDetailed(bytes32 fingerprint)
        external
        view
        returns (
            uint8 source,
            string[] memory endpoints,
            string memory manifestId,
            bytes32 manifestHash,
            address registeredBy,
            uint64 timestamp
        )
    {
        CuratedEntry memory curated = _curated[fingerprint];
        if (curated.manifestId != 0) {
            return (
                SOURCE_CURATED,
                _endpoints,
                UuidText.toString(curated.manifestId),
                curated.manifestHash,
                _registrars[curated.registrarNumber - 1],
                curated.timestamp
            );
        }
        if (_public[fingerprint].length == 0) revert ManifestNotFound(fingerprint);
        PublicEntry memory entry = _public[fingerprint][0];
        return (
            SOURCE_PUBLIC, entry.endpoints, entry.manifestId, entry.manifestHash, entry.registeredBy, entry.timestamp
        );
    }

    /// @notice The lookup that C2PA 2.2 describes, on the curated registry only.
    /// @param query `{"softBindingValue":"<base64 of the fingerprint>"}`
    /// @return `{"endpoints":[…],"manifestId":"…"}`
    function getManifestByBinding(string calldata query) external view returns (string memory) {
        bytes32 fingerprint = BindingJson.parseQuery(query);
        bytes16 manifestId = _curated[fingerprint].manifestId;
        if (manifestId == 0) revert ManifestNotFound(fingerprint);
        return BindingJson.writeAnswer(_endpoints, UuidText.toString(manifestId));
    }

    /// @notice The ids of many curated entries in one call; zero where there is none.
    function curatedManifestIds(bytes32[] calldata fingerprints) external view returns (bytes16[] memory manifestIds) {
        manifestIds = new bytes16[](fingerprints.length);
        for (uint256 i = 0; i < fingerprints.length; ++i) {
            manifestIds[i] = _curated[fingerprints[i]].manifestId;
        }
    }

    function curatedCount() external view returns (uint256) {
        return _curatedCount;
    }

    /// @notice Public entries of a fingerprint, earliest first; a page past the end is empty.
    function publicEntries(bytes32 fingerprint, uint256 offset, uint256 limit)
        external
        view
        returns (PublicEntry[] memory page)
    {
        PublicEntry[] storage entries = _public[fingerprint];
        uint256 left = offset < entries.length ? entries.length - offset : 0;
        page = new PublicEntry[](limit < left ? limit : left);
        for (uint256 i = 0; i < page.length; ++i) {
            page[i] = entries[offset + i];
        }
    }

    function publicEntryCount(bytes32 fingerprint) external view returns (uint256) {
        return _public[fingerprint].length;
    }

    /// @notice Where curated manifests are served.
    function endpoints() external view returns (string[] memory) {
        return _endpoints;
    }

    /// @notice JSON list of the ways to look a binding up, as C2PA 2.2 asks for.
    function describe() external view returns (string memory) {
        return LookupDescription.write(address(this));
    }

    function c2paSpecVersion() external pure returns (string memory) {
        return "2.2.0";
    }

    function supportedAlgorithms() external pure returns (string[] memory algorithms) {
        algorithms = new string[](1);
        algorithms[0] = "sha256";
    }

    function getContractMetadata()
        external
        pure
        returns (string memory name, string memory version, string memory description, string memory specUrl)
    {
        return (
            "Content registry",
            "1.0.0",
            "C2PA soft bindings by SHA-256 of the file: a curated registry and a public one",
            "https://spec.c2pa.org/specifications/specifications/2.2/softbinding/Decoupled.html"
        );
    }

    // Administration

    /// @notice Stops every registration and change of endpoints; reads go on, and so does the granting of roles, which
    /// repairing takes.
    function pause() external onlyRole(PAUSER_ROLE) {
        _pause();
    }

    /// @notice For the admin alone: a pauser may be a key that a monitor holds, made to stop things fast. Whoever steals
    /// it must not be able to undo the stop, and starting again is a decision, not a reflex.
    function unpause() external onlyRole(DEFAULT_ADMIN_ROLE) {
        _unpause();
    }

    /// @notice Changes where all curated manifests are served, those registered before included.
    function setEndpoints(string[] calldata newEndpoints) external onlyRole(ENDPOINT_ROLE) whenNotPaused {
        _setEndpoints(newEndpoints);
    }

    // Inside

    /// @dev Every way to get a role leads through here, so number and role cannot part.
    function _grantRole(bytes32 role, address account) internal override returns (bool granted) {
        granted = super._grantRole(role, account);
        if (granted && role == REGISTRAR_ROLE) {
            _registrars.push(account);
            _registrarNumber[account] = uint64(_registrars.length);
        }
    }

    /// @dev Every way to lose a role leads through here. The table keeps the account.
    function _revokeRole(bytes32 role, address account) internal override returns (bool revoked) {
        revoked = super._revokeRole(role, account);
        if (revoked && role == REGISTRAR_ROLE) delete _registrarNumber[account];
    }

    function _requireRegistrar() private view returns (uint64 number) {
        number = _registrarNumber[msg.sender];
        if (number == 0) revert AccessControlUnauthorizedAccount(msg.sender, REGISTRAR_ROLE);
    }

    /// @dev False, and nothing is written, if the fingerprint has an entry.
    function _record(bytes32 fingerprint, bytes16 manifestId, bytes32 manifestHash, uint64 registrarNumber)
        private
        returns (bool)
    {
        if (fingerprint == 0) revert ZeroFingerprint();
        if (manifestId == 0) revert ZeroManifestId();
        CuratedEntry storage entry = _curated[fingerprint];
        if (entry.manifestId != 0) return false;
        // Member by member, which the optimizer joins into two writes; a whole struct at once costs 250 gas more.
        entry.manifestHash = manifestHash;
        entry.manifestId = manifestId;
        entry.timestamp = uint64(block.timestamp);
        entry.registrarNumber = registrarNumber;
        return true;
    }

    /// @dev The data of SoftBindingRegistered with a blank id: made once for a whole batch, because reading and encoding
    /// the endpoints is most of the work.
    function _eventBody() private view returns (bytes memory) {
        return abi.encode(_endpoints, UuidText.toString(0));
    }

    function _announce(
        bytes memory body,
        bytes32 fingerprint,
        bytes16 manifestId,
        bytes32 manifestHash,
        bytes32 userIdHash
    ) private {
        (uint256 head, uint256 tail) = UuidText.words(manifestId);
        bytes32 bindingTopic = SoftBindingRegistered.selector;
        bytes32 manifestTopic = ManifestRegistered.selector;
        assembly ("memory-safe") {
            let length := mload(body)
            let end := add(add(body, 0x20), length)
            // The id comes last in the encoding: its text is the last two words.
            mstore(sub(end, 0x40), head)
            mstore(sub(end, 0x20), tail)
            log2(add(body, 0x20), length, bindingTopic, fingerprint)

            mstore(0x00, userIdHash)
            let userTopic := keccak256(0x00, 0x20)
            mstore(0x00, manifestHash)
            log3(0x00, 0x20, manifestTopic, fingerprint, userTopic)
        }
    }

    function _setEndpoints(string[] memory newEndpoints) private {
        _checkEndpoints(newEndpoints);
        _endpoints = newEndpoints;
        emit EndpointsChanged(newEndpoints);
    }

    function _checkEndpoints(string[] memory list) private pure {
        if (list.length == 0 || list.length > MAX_ENDPOINTS) revert InvalidEndpointCount(list.length);
        for (uint256 i = 0; i < list.length; ++i) {
            uint256 length = bytes(list[i]).length;
            if (length == 0 || length > MAX_ENDPOINT_LENGTH) revert InvalidEndpointLength(i, length);
        }
    }
}

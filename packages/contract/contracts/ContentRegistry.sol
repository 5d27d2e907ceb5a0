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
/// @notice Maps the SHA-256 of a file (its fingerprint) to its C2PA manifest. There are two separate registries: a curated
/// one, written by registrars only, and a public one, open to everyone. In each, the first registration of a fingerprint
/// stands; nothing is ever changed or removed.
/// @dev The code is immutable: a new version has a new address. A curated entry takes two storage slots. What can be
/// computed is not stored: all entries share one list of endpoints, and the text of an id is created when it is read.
contract ContentRegistry is AccessControlDefaultAdminRules, Pausable {
    /// @notice Role that writes to the curated registry.
    bytes32 public constant REGISTRAR_ROLE = keccak256("REGISTRAR_ROLE");
    /// @notice Role that pauses all writes.
    bytes32 public constant PAUSER_ROLE = keccak256("PAUSER_ROLE");
    /// @notice Role that changes the endpoints of the curated registry.
    bytes32 public constant ENDPOINT_ROLE = keccak256("ENDPOINT_ROLE");

    /// @notice `source` of a curated entry in `resolveByBindingDetailed`.
    uint8 public constant SOURCE_CURATED = 1;
    /// @notice `source` of a public entry in `resolveByBindingDetailed`.
    uint8 public constant SOURCE_PUBLIC = 2;

    /// @notice Largest number of endpoints of an entry. This and the next two limits keep entries of strangers small
    /// enough to be read in one call; resolution API URLs and manifest URNs are far shorter.
    uint256 public constant MAX_ENDPOINTS = 8;
    /// @notice Largest length of an endpoint, in bytes.
    uint256 public constant MAX_ENDPOINT_LENGTH = 256;
    /// @notice Largest length of the manifest id of a public entry, in bytes.
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

    /// @notice A curated registration, in the form that `describe()` describes.
    event SoftBindingRegistered(bytes32 indexed fingerprint, string[] endpoints, string manifestId);
    /// @notice The same registration, to be found by user: the topic is keccak-256 of the 32 bytes of `userIdHash`.
    event ManifestRegistered(bytes32 indexed fingerprint, bytes indexed userIdHash, bytes32 manifestHash);
    /// @notice A public registration. A separate event, so that strangers cannot add to the curated log.
    event PublicSoftBindingRegistered(
        bytes32 indexed fingerprint, address indexed registeredBy, string[] endpoints, string manifestId
    );
    /// @notice The endpoints of the curated registry have changed.
    event EndpointsChanged(string[] endpoints);

    error ManifestNotFound(bytes32 fingerprint);
    error AlreadyRegistered(bytes32 fingerprint);
    error ZeroFingerprint();
    error ZeroManifestId();
    error InvalidEndpointCount(uint256 count);
    error InvalidEndpointLength(uint256 index, uint256 length);
    error InvalidManifestIdLength(uint256 length);

    /// @dev The first variable, so that it shares its slot with the pause flag, which every write reads anyway.
    uint64 private _curatedCount;
    mapping(bytes32 fingerprint => CuratedEntry) private _curated;
    mapping(bytes32 fingerprint => PublicEntry[]) private _public;
    mapping(bytes32 fingerprint => mapping(address writer => bool)) private _hasPublicEntry;
    string[] private _endpoints;

    /// @dev Append only: entries refer to their registrar by number, also after the role is revoked. The number is the
    /// index in this array plus one.
    address[] private _registrars;
    /// @dev Not zero exactly while the account has REGISTRAR_ROLE, so that a write reads role and number at once.
    mapping(address account => uint64) private _registrarNumber;

    /// @notice Sets roles and endpoints.
    /// @param admin Grants roles and unpauses; also gets PAUSER_ROLE and ENDPOINT_ROLE.
    /// @param adminDelay Delay of a transfer of the admin role, in seconds.
    /// @param registrar First account with REGISTRAR_ROLE.
    /// @param endpoints Resolution APIs that serve curated manifests.
    constructor(address admin, uint48 adminDelay, address registrar, string[] memory endpoints)
        AccessControlDefaultAdminRules(adminDelay, admin)
    {
        _grantRole(PAUSER_ROLE, admin);
        _grantRole(ENDPOINT_ROLE, admin);
        _grantRole(REGISTRAR_ROLE, registrar);
        _setEndpoints(endpoints);
    }

    // Writing to the curated registry

    /// @notice Registers one manifest. Reverts when the fingerprint is registered.
    function registerManifest(bytes32 fingerprint, bytes16 manifestId, bytes32 manifestHash, bytes32 userIdHash)
        external
        whenNotPaused
    {
        uint64 registrarNumber = _requireRegistrar();
        if (!_record(fingerprint, manifestId, manifestHash, registrarNumber)) revert AlreadyRegistered(fingerprint);
        ++_curatedCount;
        _announce(_eventBody(), fingerprint, manifestId, manifestHash, userIdHash);
    }

    /// @notice Registers many manifests. Fingerprints that are registered are skipped, so that a batch can be sent again.
    /// @return added The number of new entries.
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

    // Writing to the public registry

    /// @notice Open to everyone, once per fingerprint and account. The earliest entry of a fingerprint is resolved, unless
    /// there is a curated one.
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

    /// @notice The lookup that C2PA 2.2 specifies, in the curated registry only.
    /// @param query `{"softBindingValue":"<base64 of the fingerprint>"}`
    /// @return `{"endpoints":[…],"manifestId":"…"}`
    function getManifestByBinding(string calldata query) external view returns (string memory) {
        bytes32 fingerprint = BindingJson.parseQuery(query);
        bytes16 manifestId = _curated[fingerprint].manifestId;
        if (manifestId == 0) revert ManifestNotFound(fingerprint);
        return BindingJson.writeResult(_endpoints, UuidText.toString(manifestId));
    }

    /// @notice The ids of many curated entries; zero for a fingerprint without an entry.
    function curatedManifestIds(bytes32[] calldata fingerprints) external view returns (bytes16[] memory manifestIds) {
        manifestIds = new bytes16[](fingerprints.length);
        for (uint256 i = 0; i < fingerprints.length; ++i) {
            manifestIds[i] = _curated[fingerprints[i]].manifestId;
        }
    }

    /// @notice The number of curated entries.
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

    /// @notice The number of public entries of a fingerprint.
    function publicEntryCount(bytes32 fingerprint) external view returns (uint256) {
        return _public[fingerprint].length;
    }

    /// @notice Resolution APIs that serve curated manifests.
    function endpoints() external view returns (string[] memory) {
        return _endpoints;
    }

    /// @notice JSON list of the lookup methods, as C2PA 2.2 requires.
    function describe() external view returns (string memory) {
        return LookupDescription.write(address(this));
    }

    /// @notice The version of the C2PA specification that this contract implements.
    function c2paSpecVersion() external pure returns (string memory) {
        return "2.2.0";
    }

    /// @notice The soft binding algorithms that can be looked up.
    function supportedAlgorithms() external pure returns (string[] memory algorithms) {
        algorithms = new string[](1);
        algorithms[0] = "sha256";
    }

    /// @notice Name, version, description and specification of this contract.
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

    /// @notice Stops registrations and changes of endpoints. Reading goes on, and so does granting roles, which a repair may
    /// need.
    function pause() external onlyRole(PAUSER_ROLE) {
        _pause();
    }

    /// @notice Only for the admin. The pauser may be the key of a monitoring service: a thief of that key must not be able
    /// to undo a pause.
    function unpause() external onlyRole(DEFAULT_ADMIN_ROLE) {
        _unpause();
    }

    /// @notice Changes the endpoints of all curated entries, earlier ones included.
    function setEndpoints(string[] calldata newEndpoints) external onlyRole(ENDPOINT_ROLE) whenNotPaused {
        _setEndpoints(newEndpoints);
    }

    // Internals

    /// @dev Every grant of a role calls this, so that number and role stay consistent.
    function _grantRole(bytes32 role, address account) internal override returns (bool granted) {
        granted = super._grantRole(role, account);
        if (granted && role == REGISTRAR_ROLE) {
            _registrars.push(account);
            _registrarNumber[account] = uint64(_registrars.length);
        }
    }

    /// @dev Every loss of a role calls this. `_registrars` keeps the account.
    function _revokeRole(bytes32 role, address account) internal override returns (bool revoked) {
        revoked = super._revokeRole(role, account);
        if (revoked && role == REGISTRAR_ROLE) delete _registrarNumber[account];
    }

    function _requireRegistrar() private view returns (uint64 number) {
        number = _registrarNumber[msg.sender];
        if (number == 0) revert AccessControlUnauthorizedAccount(msg.sender, REGISTRAR_ROLE);
    }

    /// @dev Returns false and writes nothing when the fingerprint has an entry.
    function _record(bytes32 fingerprint, bytes16 manifestId, bytes32 manifestHash, uint64 registrarNumber)
        private
        returns (bool)
    {
        if (fingerprint == 0) revert ZeroFingerprint();
        if (manifestId == 0) revert ZeroManifestId();
        CuratedEntry storage entry = _curated[fingerprint];
        if (entry.manifestId != 0) return false;
        // Member by member, which the optimizer joins into two writes; assigning a struct costs 250 gas more.
        entry.manifestHash = manifestHash;
        entry.manifestId = manifestId;
        entry.timestamp = uint64(block.timestamp);
        entry.registrarNumber = registrarNumber;
        return true;
    }

    /// @dev The data of SoftBindingRegistered with a blank id. Built once per batch: reading and encoding the endpoints is
    /// most of the cost.
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
        // Emits both events from the prepared data: encoding each again would cost several thousand gas.
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            let length := mload(body)
            let end := add(add(body, 0x20), length)
            // The id is last in the encoding: its text is in the last two words.
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

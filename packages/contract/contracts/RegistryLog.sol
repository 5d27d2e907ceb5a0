// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Anchors of the public log
/// @notice Remembers the head of an append-only log: its size, and the root of its Merkle tree as RFC 6962 defines it. A
/// new head is accepted only with a proof that its tree begins with the tree of the head before: not even the writer can
/// anchor a log that was rewritten.
/// @dev The code is immutable, and so is the writer: another writer needs another contract.
contract RegistryLog {
    /// @notice The account that anchors.
    address public immutable writer; // solhint-disable-line immutable-vars-naming

    uint64 private _size;
    bytes32 private _root;

    /// @notice The log had this size and this root when the block of this event was made.
    event Anchored(uint64 indexed size, bytes32 root);

    error NotWriter(address account);
    error SizeNotLarger(uint64 size);
    error InvalidProof();

    /// @notice Sets the writer for good.
    /// @param logWriter The account that anchors.
    constructor(address logWriter) {
        writer = logWriter;
    }

    /// @notice Anchors a larger head of the log.
    /// @param size The number of leaves.
    /// @param root The root of their Merkle tree.
    /// @param proof The consistency proof of RFC 6962 from the last anchored head; none for the first.
    function anchor(uint64 size, bytes32 root, bytes32[] calldata proof) external {
        if (msg.sender != writer) revert NotWriter(msg.sender);
        uint64 oldSize = _size;
        if (size <= oldSize) revert SizeNotLarger(oldSize);
        bool isProven = oldSize == 0 ? proof.length == 0 : _isExtended(oldSize, size, root, proof);
        if (!isProven) revert InvalidProof();
        _size = size;
        _root = root;
        emit Anchored(size, root);
    }

    /// @notice The last anchored head; zeros before the first.
    function head() external view returns (uint64 size, bytes32 root) {
        return (_size, _root);
    }

    /// @dev As RFC 9162 describes it in section 2.1.4.2, from the last leaf of the old tree to both roots. `node` is the
    /// position of the last node of the old tree on a level, and `last` that of the new tree. The loops are in assembly,
    /// with one piece of memory for all hashes: in Solidity, an anchor would cost 15,000 gas more.
    // solhint-disable-next-line function-max-lines
    function _isExtended(uint64 oldSize, uint64 size, bytes32 root, bytes32[] calldata proof)
        private
        view
        returns (bool isExtended)
    {
        uint256 node = oldSize - 1;
        uint256 last = size - 1;
        while (node & 1 == 1) (node, last) = (node >> 1, last >> 1);
        bytes32 oldRoot = _root;
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            // The 65 bytes that are hashed: a one, and two nodes.
            let input := add(mload(0x40), 0x1f)
            mstore8(input, 1)
            let left := add(input, 0x01)
            let right := add(input, 0x21)
            // The precompiled contract 2, SHA-256, fails only for want of 100 gas: then none is left to write an anchor.
            function sha(start) -> result {
                pop(staticcall(gas(), 2, start, 0x41, 0, 0x20))
                result := mload(0)
            }

            let part := proof.offset
            let end := add(part, shl(5, proof.length))
            let oldHash := oldRoot
            // Unless the old tree is one complete subtree, the proof begins with its last complete one.
            if node {
                oldHash := calldataload(part)
                part := add(part, 0x20)
            }
            let newHash := oldHash
            // Up to where the paths meet, each level has a part: on the left of both trees, or on the right of the new one.
            for {} xor(node, last) {} {
                switch and(node, 1)
                case 0 {
                    mstore(left, newHash)
                    mstore(right, calldataload(part))
                    newHash := sha(input)
                }
                default {
                    mstore(left, calldataload(part))
                    mstore(right, oldHash)
                    oldHash := sha(input)
                    mstore(right, newHash)
                    newHash := sha(input)
                }
                part := add(part, 0x20)
                node := shr(1, node)
                last := shr(1, last)
            }
            // From there on, both trees have the same on their left.
            for {} node { node := shr(1, node) } {
                if and(node, 1) {
                    mstore(left, calldataload(part))
                    mstore(right, oldHash)
                    oldHash := sha(input)
                    mstore(right, newHash)
                    newHash := sha(input)
                    part := add(part, 0x20)
                }
            }
            // What is behind the proof was read only if this is not its end.
            isExtended := and(eq(part, end), and(eq(oldHash, oldRoot), eq(newHash, root)))
        }
    }
}

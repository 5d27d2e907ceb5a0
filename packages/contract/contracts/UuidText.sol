// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Text form of a UUID
/// @notice 16 bytes as `8-4-4-4-12` lower-case hex digits. Every curated registration writes this text to a log, so it is
/// created without a loop, all digits of a word at once: about 300 gas instead of several thousand.
library UuidText {
    /// @dev Length of the text.
    uint256 internal constant LENGTH = 36;

    uint256 private constant DASH = 0x2d;

    function toString(bytes16 uuid) internal pure returns (string memory text) {
        (uint256 head, uint256 tail) = words(uuid);
        text = new string(LENGTH);
        // Writes two prepared words instead of 36 characters.
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            mstore(add(text, 0x20), head)
            mstore(add(text, 0x40), tail)
        }
    }

    /// @notice The two words that the text takes in memory; the second is padded with zeros, as in the ABI.
    function words(bytes16 uuid) internal pure returns (uint256 head, uint256 tail) {
        uint256 digits = _hexDigits(uuid);
        head = (_slice(digits, 0, 8) << 192) | (DASH << 184)
            | (_slice(digits, 8, 4) << 152) | (DASH << 144)
            | (_slice(digits, 12, 4) << 112) | (DASH << 104)
            | (_slice(digits, 16, 4) << 72) | (DASH << 64)
            | _slice(digits, 20, 8);
        tail = _slice(digits, 28, 4) << 224;
    }

    /// @dev `count` of the 32 characters in a word, right-aligned.
    function _slice(uint256 characters, uint256 start, uint256 count) private pure returns (uint256) {
        unchecked {
            return (characters >> (8 * (32 - start - count))) & ((1 << (8 * count)) - 1);
        }
    }

    /// @dev Spreads 32 nibbles over the 32 bytes of a word, halving the distance each time, then turns each into a digit.
    function _hexDigits(bytes16 uuid) private pure returns (uint256 x) {
        x = uint128(uuid);
        x = (x | (x << 64)) & 0x0000000000000000ffffffffffffffff0000000000000000ffffffffffffffff;
        x = (x | (x << 32)) & 0x00000000ffffffff00000000ffffffff00000000ffffffff00000000ffffffff;
        x = (x | (x << 16)) & 0x0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff;
        x = (x | (x << 8)) & 0x00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff;
        x = (x | (x << 4)) & 0x0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f;
        unchecked {
            // Adding 6 sets the fifth bit for ten and above: those get the distance from '9' to 'a' added, 39.
            uint256 letters = ((x + 0x0606060606060606060606060606060606060606060606060606060606060606) >> 4)
                & 0x0101010101010101010101010101010101010101010101010101010101010101;
            x = x + 0x3030303030303030303030303030303030303030303030303030303030303030 + letters * 39;
        }
    }
}

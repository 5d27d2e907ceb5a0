// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

/// @title JSON input and output of `getManifestByBinding`
/// @notice C2PA 2.2 requires a function from a JSON string to a JSON string. The schema of the query has one member and
/// allows no other. Every valid JSON form of it is accepted (white space, escapes), and nothing else.
library BindingJson {
    /// @notice The query is not `{"softBindingValue":"<base64 of 32 bytes>"}`.
    error InvalidBinding();

    bytes32 private constant MEMBER_HASH = keccak256("softBindingValue");

    /// @dev The base64 of 32 bytes, unpadded, and the longest string that a query can hold, padded.
    uint256 private constant BASE64_LENGTH = 43;
    uint256 private constant MAX_STRING_LENGTH = 44;

    /// @notice Parses `{"softBindingValue":"<base64>"}`.
    function parseQuery(string calldata query) internal pure returns (bytes32 fingerprint) {
        bytes calldata json = bytes(query);
        bytes memory text;
        uint256 position = _expect(json, 0, "{");
        (text, position) = _readString(json, position);
        if (keccak256(text) != MEMBER_HASH) revert InvalidBinding();
        position = _expect(json, position, ":");
        (text, position) = _readString(json, position);
        position = _expect(json, position, "}");
        if (_skipSpace(json, position) != json.length) revert InvalidBinding();
        return decodeBase64(text);
    }

    /// @notice Writes `{"endpoints":[…],"manifestId":"…"}`. The id is a UUID: nothing in it needs an escape.
    function writeResult(string[] memory endpoints, string memory manifestId) internal pure returns (string memory json) {
        json = '{"endpoints":[';
        for (uint256 i = 0; i < endpoints.length; ++i) {
            json = string.concat(json, i == 0 ? '"' : ',"', Strings.escapeJSON(endpoints[i]), '"');
        }
        return string.concat(json, '],"manifestId":"', manifestId, '"}');
    }

    /// @notice Decodes 32 bytes from base64, standard or URL-safe, padded or not. The last character has four bits of
    /// data; its two spare bits must be zero, so that a fingerprint has one form in each alphabet.
    function decodeBase64(bytes memory text) internal pure returns (bytes32) {
        if (text.length == BASE64_LENGTH + 1) {
            if (text[BASE64_LENGTH] != "=") revert InvalidBinding();
        } else if (text.length != BASE64_LENGTH) {
            revert InvalidBinding();
        }
        uint256 value = 0;
        for (uint256 i = 0; i < BASE64_LENGTH - 1; ++i) {
            value = (value << 6) | _sextet(text[i]);
        }
        uint256 last = _sextet(text[BASE64_LENGTH - 1]);
        if (last & 3 != 0) revert InvalidBinding();
        return bytes32((value << 4) | (last >> 2));
    }

    function _sextet(bytes1 character) private pure returns (uint256) {
        uint256 c = uint8(character);
        if (c >= 0x41 && c <= 0x5a) return c - 0x41; // A–Z
        if (c >= 0x61 && c <= 0x7a) return c - 0x61 + 26; // a–z
        if (c >= 0x30 && c <= 0x39) return c - 0x30 + 52; // 0–9
        if (character == "+" || character == "-") return 62;
        if (character == "/" || character == "_") return 63;
        revert InvalidBinding();
    }

    /// @dev Returns the position after `character`, which must be next, apart from white space.
    function _expect(bytes calldata json, uint256 position, bytes1 character) private pure returns (uint256) {
        position = _skipSpace(json, position);
        if (position >= json.length || json[position] != character) revert InvalidBinding();
        return position + 1;
    }

    function _skipSpace(bytes calldata json, uint256 position) private pure returns (uint256) {
        while (position < json.length) {
            bytes1 c = json[position];
            if (c != " " && c != "\n" && c != "\r" && c != "\t") break;
            ++position;
        }
        return position;
    }

    /// @dev Returns a JSON string without its escapes, and the position after it.
    function _readString(bytes calldata json, uint256 position) private pure returns (bytes memory text, uint256) {
        position = _expect(json, position, '"');
        text = new bytes(MAX_STRING_LENGTH);
        uint256 length = 0;
        while (true) {
            if (position >= json.length) revert InvalidBinding();
            bytes1 c = json[position];
            if (c == '"') break;
            if (length == MAX_STRING_LENGTH) revert InvalidBinding();
            if (c == "\\") {
                (c, position) = _readEscape(json, position + 1);
            } else {
                ++position;
            }
            // Increments after use, in a function that is only read.
            // solhint-disable-next-line gas-increment-by-one
            text[length++] = c;
        }
        // Shortens the array to its content: Solidity has no statement for that.
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            mstore(text, length)
        }
        return (text, position + 1);
    }

    /// @dev Some JSON libraries escape characters of base64: PHP writes `\/`, .NET `\u002B`. Only `\/` and `\uXXXX` can
    /// represent a character of a valid query.
    function _readEscape(bytes calldata json, uint256 position) private pure returns (bytes1 character, uint256) {
        if (position < json.length && json[position] == "/") return ("/", position + 1);
        if (position + 5 > json.length || json[position] != "u") revert InvalidBinding();
        uint256 code = 0;
        for (uint256 i = position + 1; i < position + 5; ++i) {
            code = (code << 4) | _nibble(json[i]);
        }
        if (code > 0x7f) revert InvalidBinding();
        return (bytes1(uint8(code)), position + 5);
    }

    function _nibble(bytes1 character) private pure returns (uint256) {
        uint256 c = uint8(character);
        if (c >= 0x30 && c <= 0x39) return c - 0x30; // 0–9
        if (c >= 0x41 && c <= 0x46) return c - 0x41 + 10; // A–F
        if (c >= 0x61 && c <= 0x66) return c - 0x61 + 10; // a–f
        revert InvalidBinding();
    }
}

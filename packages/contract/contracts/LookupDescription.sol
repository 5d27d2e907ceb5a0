// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

/// @title JSON that `describe()` returns
/// @notice Describes the lookup of a soft binding, as C2PA 2.2 defines it: by a call of the contract, or in its log. Form
/// and schemas are those of the two examples that the C2PA publishes. Covers the curated registry only.
library LookupDescription {
    string private constant INPUT_SCHEMA =
        '{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{'
        '"softBindingValue":{"type":"string","description":"A base64-encoded string describing, in algorithm specific '
        'format, the value of the soft binding to be used as the query."}},'
        '"required":["softBindingValue"],"additionalProperties":false}';

    string private constant OUTPUT_SCHEMA =
        '{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{'
        '"endpoints":{"type":"array","items":{"type":"string","format":"uri"},"description":"The URL(s) of the '
        'Softbinding Resolution API that may resolve this manifest ID."},'
        '"manifestId":{"type":"string","description":"The optional unique identifier of the C2PA manifest, used to '
        'retrieve specific metadata. This may be absent if the manifest ID is not published within the K-V store."}},'
        '"required":["endpoints"],"additionalProperties":false}';

    function write(address registry) internal pure returns (string memory) {
        string memory registryText = Strings.toChecksumHexString(registry);
        return string.concat(
            '[{"resolutionMethod":"smartContract","querySmartContract":{"smartContractAddress":"',
            registryText,
            '","byBindingFunctionName":"getManifestByBinding","byBindingInputSchema":',
            INPUT_SCHEMA,
            ',"byBindingOutputSchema":',
            OUTPUT_SCHEMA,
            '}},{"resolutionMethod":"eventLog","queryEventLog":{"smartContractAddress":"',
            registryText,
            '","keyTopic":"SoftBindingRegistered(bytes32,string[],string)","byBindingOutputSchema":',
            OUTPUT_SCHEMA,
            "}}]"
        );
    }
}

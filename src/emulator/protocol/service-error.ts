/**
 * The error codes that the operations answer, and their messages (docs/service.md, sections 5.4, 6.5, 9 and
 * 16.4). A fault can answer every other code.
 */
const messages = {
  'AuthFailure.InvalidAuthorization': 'The `Authorization` header is malformed.',
  'AuthFailure.InvalidSecretId': 'The SecretId is invalid: it is not a key of the cloud API.',
  'AuthFailure.SecretIdNotFound':
    'The SecretId is not found, please ensure that your SecretId is correct.',
  'AuthFailure.SignatureExpire':
    'The signature has expired: the timestamp differs from the server time by more than five minutes.',
  'AuthFailure.SignatureFailure':
    'The provided credentials could not be validated. Please check your signature is correct.',
  'AuthFailure.TokenFailure': 'The token is invalid or has expired.',
  InternalError: 'An internal error occurred.',
  InvalidAction: 'The action does not exist.',
  InvalidParameter: 'A parameter is invalid.',
  InvalidParameterCombination: 'The parameters cannot be combined.',
  InvalidParameterValue: 'The value of a parameter is invalid.',
  InvalidRequest: 'The request is malformed.',
  MissingParameter: 'The request is missing a required parameter.',
  NoSuchProduct: 'The product does not exist.',
  NoSuchVersion: 'The version of the API does not exist.',
  RequestLimitExceeded: 'The request frequency exceeds the limit.',
  RequestSizeLimitExceeded: 'The request is larger than allowed.',
  ResourceNotFound: 'The resource does not exist.',
  UnauthorizedOperation: 'You are not authorized to perform the operation.',
  UnknownParameter: 'A parameter is not recognized.',
  UnsupportedProtocol: 'The HTTP method is not supported: only GET and POST are.',
  UnsupportedRegion: 'The action not support this region.',
  'InvalidParameterValue.LaunchTemplateIdMalformed':
    'The launch template ID has a wrong format: it must look like lt-b8v1kcyq.',
  'InvalidParameterValue.LaunchTemplateIdNotExisted': 'The launch template ID does not exist.',
  'InvalidParameterValue.LaunchTemplateIdVerNotExisted':
    'The combination of launch template and version does not exist.',
  'InvalidParameterValue.LaunchTemplateNotFound': 'The launch template is not found.',
  'InvalidParameterValue.LaunchTemplateVersion': 'The launch template version number is invalid.',
  'InvalidParameterValue.LimitExceeded': 'The number of values of a parameter exceeds the limit.',
  InvalidFilter: 'The filter is invalid.',
  'InvalidFilterValue.LimitExceeded': 'The number of filters or of their values exceeds the limit.',
  'InvalidParameterValue.Range': 'The value of a parameter is outside the permitted range.',
  'InvalidZone.MismatchRegion': 'The specified zone does not exist in the region.',
  'InvalidInstanceType.Malformed': 'The instance type is malformed.',
  'InvalidParameterValue.ZoneNotSupported': 'The zone does not offer the operation.',
  'InvalidParameter.Coexist': 'The parameters cannot be given together.',
  'InvalidParameter.FilterInvalidKey': 'The name of the filter does not exist.',
  'InvalidParameter.FilterNotDict': 'The filter is not a map.',
  'InvalidParameter.FilterValuesNotList': 'The values of the filter are not a list.',
  'InvalidParameterValue.Empty': 'The value of a parameter is empty.',
  'InvalidParameterValue.Malformed': 'The value of a parameter is malformed.',
  'InvalidParameter.OverTimeError': 'The duration is longer than the role allows.',
  'InvalidParameter.ParamError': 'A parameter is invalid.',
  'InvalidParameter.ResouceError': 'The name of the role is invalid.',
  'InvalidParameter.WebIdentityTokenError': 'The web identity token is invalid or has expired.',
  'ResourceNotFound.RoleNotFound': 'The role does not exist.',
} as const;

export type ErrorCode = keyof typeof messages;

const messageOf: ReadonlyMap<string, string> = new Map(Object.entries(messages));

export const errorCodes: readonly string[] = [...messageOf.keys()];

/** The message of a code. Another code gets a general message. */
export function defaultMessage(code: string): string {
  return messageOf.get(code) ?? `The request failed with ${code}.`;
}

/** The service refuses a request. The error is sent in the envelope. It is not a failure of the emulator. */
export class ServiceError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string = messages[code]) {
    super(message);
    this.name = 'ServiceError';
    this.code = code;
  }
}

/** @throws ServiceError `MissingParameter` when there is no value */
export function required(value: string | null, name: string): string {
  if (value !== null) return value;
  throw new ServiceError(
    'MissingParameter',
    `The request is missing a required parameter \`${name}\`.`,
  );
}

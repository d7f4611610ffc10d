/** The service says no: every class of error code, and what a gateway before it answers. */
import { gateway, rule, serviceError, type Fault } from './fault.ts';

const never = 1;
const resigned = 2;
/** As many as `max_attempts` of the world's configuration. */
const retried = 3;

const redirect = gateway(
  'a redirect, which is not followed',
  (response, _body, { path }) => {
    response.writeHead(302, { Location: path }).end();
  },
  { code: 'HttpStatus', requests: retried },
);

export const serviceErrors: readonly Fault[] = [
  serviceError('UnauthorizedOperation', never),
  serviceError('UnauthorizedOperation.MFAExpired', never),
  serviceError('AuthFailure.SecretIdNotFound', never),
  serviceError('UnsupportedRegion', never),
  serviceError('InvalidParameterValue.Range', never),
  serviceError('Unheard.OfBefore', never),
  serviceError('AuthFailure.SignatureExpire', resigned),
  // The world's credentials are not rotated.
  serviceError('AuthFailure.TokenFailure', never),
  serviceError('InternalError', retried),
  serviceError('InternalServerError', retried),
  serviceError('ServiceUnavailable', retried),
  serviceError('ResourceUnavailable', retried),
  rule(
    'a burst of throttling that ends before the attempts do',
    { effect: 'error', code: 'RequestLimitExceeded', count: 2 },
    { code: null, requests: retried },
  ),
  rule(
    '502 with a page of HTML',
    { effect: 'http-status', status: 502 },
    {
      code: 'HttpStatus',
      requests: retried,
    },
  ),
  rule(
    '500 without a body',
    { effect: 'http-status', status: 500, body: '' },
    {
      code: 'HttpStatus',
      requests: retried,
    },
  ),
  rule(
    '404',
    { effect: 'http-status', status: 404 },
    {
      code: 'HttpStatus',
      requests: retried,
    },
  ),
  redirect,
];

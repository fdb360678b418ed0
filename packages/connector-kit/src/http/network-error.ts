import { ConfigurationError, EgressRefusedError, RetryableError } from '../errors.ts'

const codeOf = (error: unknown): string => {
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string')
    return error.code
  return error instanceof Error ? error.name : 'unknown'
}

const codeText: Record<string, string> = {
  ECONNREFUSED: 'Connection refused',
  ECONNRESET: 'Connection reset by the server',
  ENOTFOUND: 'The host name does not exist',
  EAI_AGAIN: 'The host name could not be resolved',
  EHOSTUNREACH: 'Host unreachable',
  ENETUNREACH: 'Network unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'Connection timed out',
  UND_ERR_SOCKET: 'The server closed the connection',
  UND_ERR_HEADERS_OVERFLOW: 'The response headers are too large',
  HTTPParserError: 'The server does not respond with HTTP',
  CERT_HAS_EXPIRED: 'The certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate is signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The certificate is signed by an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "The certificate can't be verified",
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another name',
}

/** Creates the error for a blocked address. */
export const egressRefusal = (host: string): EgressRefusedError =>
  new EgressRefusedError(
    `The address of ${host} is not public. To allow private networks, your Tributary operator must set TRIBUTARY_EGRESS_ALLOW`,
  )

/** Describes a network error for users; an EgressRefusedError from the connector is returned unchanged. */
export const networkError = (error: unknown): Error => {
  if (error instanceof EgressRefusedError || error instanceof RetryableError) return error
  if (error instanceof AggregateError && error.errors.length > 0) return networkError(error.errors[0])
  const code = codeOf(error)
  if (code === 'UND_ERR_INVALID_ARG')
    return new ConfigurationError("The request can't be sent as configured", undefined, error)
  return new RetryableError(`${codeText[code] ?? 'Network failure'} (${code})`, { cause: error })
}

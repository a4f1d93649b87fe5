const lost = 'the connection was lost'
const unreachable = 'the host cannot be reached'
const unknownAuthority = 'the authority of its certificate is unknown: enter it as the secret ca'
const handshake = 'it rejects the encryption, or requires a client certificate'

/** Failures of a connection by the code of Node or OpenSSL. */
export const failureWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing accepts connections at this address',
  ECONNRESET: lost,
  ECONNABORTED: lost,
  EPIPE: lost,
  ETIMEDOUT: 'no response within the time limit',
  EHOSTUNREACH: unreachable,
  EHOSTDOWN: unreachable,
  ENETUNREACH: 'the network cannot be reached',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be resolved',
  HPE_INVALID_CONSTANT: 'it does not speak HTTP at this port',
  CERT_HAS_EXPIRED: 'its certificate has expired, or the clock of the server is wrong',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet, or the clock of the server is wrong',
  CERT_REVOKED: 'its certificate was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for other host names',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed: enter it as the secret ca',
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not use encryption at this port',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not use encryption at this port',
  EPROTO: 'it does not use encryption at this port, or another version of TLS',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'it uses a version of TLS that is not supported',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'it uses a version of TLS that is not supported',
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: handshake,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'it requires a client certificate',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: 'it does not accept the client certificate',
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: 'it does not accept the client certificate',
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: 'it does not accept the client certificate',
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: 'it does not accept the client certificate',
}

/** Returns why a connection failed, in words, with the message of the error. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // The message of OpenSSL names lines of its source; its reason has the words.
  const reason = 'reason' in error && typeof error.reason === 'string' ? error.reason : ''
  const isOfOpenSsl = 'library' in error
  const text = (isOfOpenSsl && reason) || error.message || error.name
  const known = 'code' in error && typeof error.code === 'string' ? failureWords[error.code] : undefined
  return known === undefined ? text : `${known} (${text})`
}

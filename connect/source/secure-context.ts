import { createSecureContext, type SecureContext } from 'node:tls'
import { SourceError, type SourceSecrets } from './source.ts'

/** Returns the TLS settings of a connector's secrets. Throws a `SourceError` if they are not valid PEM. */
export function secureContextOf({ ca, key, certificate: cert }: SourceSecrets): SecureContext {
  try {
    return createSecureContext({
      ...(ca !== undefined && { ca }),
      ...(key !== undefined && { key }),
      ...(cert !== undefined && { cert }),
    })
  } catch (error) {
    throw new SourceError('The key, certificate or ca is not in PEM form, or they do not belong together', 'invalid', {
      cause: error,
    })
  }
}

import { X509Certificate } from 'node:crypto'

const block = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+?)-----END CERTIFICATE-----/g

/**
 * The certificates of a text in the form that TLS takes (PEM, RFC 7468), also when line ends were lost on the way, as a
 * field of one line does; '' when there are none, undefined when one cannot be read.
 */
export const certificatesOf = (text: string): string | undefined => {
  const found = [...text.matchAll(block)].map(([, body = '']) => {
    const lines = body.replace(/\s/g, '').match(/.{1,64}/g) ?? []
    return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
  })
  try {
    for (const pem of found) new X509Certificate(pem)
    return found.join('')
  } catch {
    return undefined
  }
}

/** What a driver's TLS is given: the certificate is always verified, also by the authorities that a person pasted. */
export const tlsOptions = (access: {
  readonly tls: 'verify' | 'off'
  readonly ca_certificate?: string | undefined
}): { rejectUnauthorized: true; ca?: string } | false => {
  if (access.tls === 'off') return false
  const ca = certificatesOf(access.ca_certificate ?? '')
  return { rejectUnauthorized: true, ...(ca === undefined || ca === '' ? {} : { ca }) }
}

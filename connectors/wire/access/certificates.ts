import { X509Certificate } from 'node:crypto'

const [begin, end] = ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----']

/** Returns the text between the marks of each certificate. */
const bodiesOf = (text: string): string[] =>
  text
    .split(begin)
    .slice(1)
    .map((part) => part.slice(0, Math.max(0, part.indexOf(end))))
    .filter((body) => /^[A-Za-z0-9+/=\s]+$/.test(body))

/**
 * Returns the certificates of a text in the form that TLS accepts (PEM, RFC 7468). The text can lack line ends, which a
 * field of one line removes. Returns '' if there are none; undefined if one cannot be read.
 */
export const certificatesOf = (text: string): string | undefined => {
  const found = bodiesOf(text).map((body) => {
    const lines = body.replace(/\s/g, '').match(/.{1,64}/g) ?? []
    return [begin, ...lines, end, ''].join('\n')
  })
  try {
    for (const pem of found) new X509Certificate(pem)
    return found.join('')
  } catch {
    return undefined
  }
}

/**
 * Returns the TLS options of a driver. The certificate is always verified, also with the authorities that a user
 * pasted.
 */
export const tlsOptions = (access: {
  readonly tls: 'verify' | 'off'
  readonly ca_certificate?: string | undefined
}): { rejectUnauthorized: true; ca?: string } | false => {
  if (access.tls === 'off') return false
  const ca = certificatesOf(access.ca_certificate ?? '')
  return { rejectUnauthorized: true, ...(ca === undefined || ca === '' ? {} : { ca }) }
}

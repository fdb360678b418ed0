import { isUtf8 } from 'node:buffer'

/** Why bytes cannot be decoded: they are invalid in the charset, or there is no charset of that name. */
export type CharsetFault = 'wrong-bytes' | 'unknown-charset'

const utf8Label = 'utf-8'

/** Returns the charset that a Content-Type names, in lower case and without quotes; undefined if it names none. */
export const charsetOf = (contentType: string | undefined): string | undefined => {
  if (contentType === undefined || !contentType.includes(';')) return undefined
  for (const parameter of contentType.split(';').slice(1)) {
    const equals = parameter.indexOf('=')
    if (equals < 0 || parameter.slice(0, equals).trim().toLowerCase() !== 'charset') continue
    const label = parameter
      .slice(equals + 1)
      .replaceAll('"', '')
      .replaceAll("'", '')
      .trim()
      .toLowerCase()
    return label === '' ? undefined : label
  }
  return undefined
}

/** Creates a decoder that throws on invalid bytes; undefined for a name that is not in the Encoding Standard. */
const decoderOf = (label: string): InstanceType<typeof TextDecoder> | undefined => {
  try {
    return new TextDecoder(label, { fatal: true })
  } catch {
    return undefined
  }
}

/**
 * Returns the charset of a byte order mark. As in the Encoding Standard, this charset takes precedence over the charset
 * of a header.
 */
const markedCharset = (bytes: Uint8Array): string | undefined => {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return utf8Label
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

/** Whether bytes can begin an ASCII text in UTF-16. Some senders declare UTF-16 and send UTF-8. */
const beginsAsUtf16 = ([first, second]: Uint8Array): boolean => first === 0 || second === 0

/** Decodes bytes of a charset to UTF-8, without a check for a byte order mark. */
const decoded = (bytes: Buffer, charset: string = utf8Label): Buffer | CharsetFault => {
  const decoder = charset === utf8Label ? undefined : decoderOf(charset)
  if (decoder === undefined || decoder.encoding === utf8Label) {
    if (isUtf8(bytes)) return bytes
    return decoder === undefined && charset !== utf8Label ? 'unknown-charset' : 'wrong-bytes'
  }
  try {
    return Buffer.from(decoder.decode(bytes))
  } catch {
    return 'wrong-bytes'
  }
}

/**
 * Decodes bytes to UTF-8 without a byte order mark, by the named charset. Without a name, or with an unknown name, the
 * bytes must be UTF-8. Bytes that are UTF-8 already are not copied. Invalid bytes are never replaced by U+FFFD. Source:
 * WHATWG Encoding, "decode" with an error mode of fatal; RFC 8259 8.1: JSON is UTF-8.
 */
export const utf8Of = (bytes: Buffer, charset: string | undefined): Buffer | CharsetFault => {
  const marked = markedCharset(bytes)
  if (marked === utf8Label) return decoded(bytes.subarray(3), utf8Label)
  if (marked !== undefined) return decoded(bytes, marked)
  const isMislabeled = charset?.startsWith('utf-16') === true && !beginsAsUtf16(bytes)
  return decoded(bytes, isMislabeled ? utf8Label : charset)
}

const hexValue = (code: number): number => {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

/** Decodes a part of a form to bytes: `+` is a space, `%41` is one byte, every other character is kept. */
const formBytes = (piece: string): Buffer => {
  const bytes = Buffer.from(piece)
  let length = 0
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] as number
    const high = byte === 0x25 ? hexValue(bytes[index + 1] ?? 0) : -1
    const low = high < 0 ? -1 : hexValue(bytes[index + 2] ?? 0)
    if (low >= 0) index += 2
    bytes[length++] = low >= 0 ? high * 16 + low : byte === 0x2b ? 0x20 : byte
  }
  return bytes.subarray(0, length)
}

const highEscape = /%[89a-f]/i

/**
 * Returns the parameters of a URL or form, or why they cannot be decoded. The charset is the given one, else the one of
 * the form's own field `_charset_`, else UTF-8. Charsets other than UTF-8 apply to percent-encoded bytes only. Source:
 * WHATWG URL, application/x-www-form-urlencoded; WHATWG HTML, `_charset_`.
 */
export const formParams = (text: string, charset?: string): URLSearchParams | CharsetFault => {
  const params = new URLSearchParams(text)
  if (!highEscape.test(text)) return params
  const label = charset ?? (params.get('_charset_')?.trim().toLowerCase() || undefined)
  const result = new URLSearchParams()
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const [name, value] = [equals < 0 ? pair : pair.slice(0, equals), equals < 0 ? '' : pair.slice(equals + 1)].map(
      (piece) => (highEscape.test(piece) ? decoded(formBytes(piece), label) : formBytes(piece)),
    )
    if (!Buffer.isBuffer(name)) return name ?? 'wrong-bytes'
    if (!Buffer.isBuffer(value)) return value ?? 'wrong-bytes'
    result.append(name.toString(), value.toString())
  }
  return result
}

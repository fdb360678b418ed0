/** A command that cannot be read. The message is a sentence for the user. */
export class CurlProblem extends Error {
  override readonly name = 'CurlProblem'
}

/** What `$'…'` has after a backslash (POSIX.1-2024, XCU 2.2.4). */
const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\u0007', b: '\b', f: '\f', v: '\v' }

const space = /\s+/y
/** A value that documentation leaves for the reader, outside of quotes. A shell would read a file. */
const placeholder = /<[A-Za-z][\w.-]{0,60}>/y

type Reader = { readonly text: string; at: number }

const unclosed = (quote: string): CurlProblem => new CurlProblem(`A ${quote} quote is not closed`)

const readSingle = (reader: Reader): string => {
  const end = reader.text.indexOf("'", reader.at)
  if (end === -1) throw unclosed('single')
  const part = reader.text.slice(reader.at, end)
  reader.at = end + 1
  return part
}

/** Reads the rest of `$'…'`, as browsers write texts with line breaks. */
const readAnsi = (reader: Reader): string => {
  let part = ''
  for (;;) {
    const character = reader.text[reader.at++]
    if (character === undefined) throw unclosed('single')
    if (character === "'") return part
    if (character !== '\\') {
      part += character
      continue
    }
    const next = reader.text[reader.at++] ?? ''
    const code = /^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))/.exec(reader.text.slice(reader.at - 1, reader.at + 4))
    if (code === null) part += escapes[next] ?? next
    else {
      part += String.fromCharCode(Number.parseInt(code[1] ?? code[2] ?? '', 16))
      reader.at += code[0].length - 1
    }
  }
}

const noSubstitution = (): CurlProblem =>
  new CurlProblem('The command has another command in it, as $(…) or in backquotes. Replace it by its result')

const readDouble = (reader: Reader): string => {
  let part = ''
  for (;;) {
    const character = reader.text[reader.at++]
    if (character === undefined) throw unclosed('double')
    if (character === '"') return part
    if (character === '`' || (character === '$' && reader.text[reader.at] === '(')) throw noSubstitution()
    if (character !== '\\') {
      part += character
      continue
    }
    const next = reader.text[reader.at++] ?? ''
    if (next !== '\n') part += '$`"\\'.includes(next) ? next : `\\${next}`
  }
}

/** Returns the placeholder at a position, such as `<token>`; undefined if there is none. */
const placeholderAt = ({ text, at }: Reader): string | undefined => {
  placeholder.lastIndex = at
  return placeholder.exec(text)?.[0]
}

/** Reads an operator outside of quotes. Returns whether the command ends there. */
const endsAt = ({ text, at }: Reader): boolean => {
  const character = text[at]
  if (character === '|' || character === '>') return true
  if (character === ';' || character === '&') {
    if (text.slice(at + 1).trim() === '') return true
    throw new CurlProblem(
      character === '&' && text[at + 1] !== '&'
        ? 'The command has an & outside of quotes. Put the URL in quotes'
        : 'There is more than one command. Paste one of them',
    )
  }
  if (character === '<') throw new CurlProblem('The command reads a file. Put the text of the body in its place')
  return false
}

/** Reads one part of a word: quoted, escaped, or a character. */
const readPart = (reader: Reader): string => {
  const { text } = reader
  const character = text[reader.at++] ?? ''
  if (character === "'") return readSingle(reader)
  if (character === '"') return readDouble(reader)
  if (character === '$' && text[reader.at] === "'") {
    reader.at++
    return readAnsi(reader)
  }
  if (character === '`' || (character === '$' && text[reader.at] === '(')) throw noSubstitution()
  if (character !== '\\') return character
  const next = text[reader.at++] ?? ''
  return next === '\n' ? '' : next
}

/**
 * Splits a command into words by the rules of POSIX shells. Everything after a pipe or a redirection is left out, and
 * variables stay as they are written. Throws CurlProblem for several commands, and for quotes that are not closed.
 */
export const shellWords = (command: string): string[] => {
  // A prompt before the command, as documentation shows it.
  const text = command.replaceAll('\r\n', '\n').trim().replace(/^\$ /, '')
  const reader: Reader = { text, at: 0 }
  const words: string[] = []
  let word: string | undefined
  const end = (): void => {
    if (word !== undefined) words.push(word)
    word = undefined
  }
  while (reader.at < text.length) {
    const character = text[reader.at] ?? ''
    if (/\s/.test(character)) {
      end()
      space.lastIndex = reader.at
      const run = space.exec(text)?.[0] ?? character
      reader.at += run.length
      if (run.includes('\n') && !/^(-|#|['"]?https?:)/.test(text.slice(reader.at, reader.at + 10)))
        throw new CurlProblem('There is more than one command, or a line has no \\ at its end')
    } else if (character === '#' && word === undefined) {
      const line = text.indexOf('\n', reader.at)
      reader.at = line === -1 ? text.length : line
    } else if (character === '\\' && text[reader.at + 1] === '\n') reader.at += 2
    // A continuation with spaces after it is a frequent mistake of documentation.
    else if (character === '\\' && /^\\[ \t]+\n/.test(text.slice(reader.at, reader.at + 20))) reader.at++
    else {
      const value = placeholderAt(reader)
      if (value === undefined && endsAt(reader)) break
      word = (word ?? '') + (value ?? readPart(reader))
      reader.at += value?.length ?? 0
    }
  }
  end()
  return words
}

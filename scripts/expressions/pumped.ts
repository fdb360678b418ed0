import { createContext, Script } from 'node:vm'
import { partsOf } from './parts.ts'

const pumpedLength = 60_000
/** Maximum processor time in ms for reading a text. A linear expression needs about 1 ms. */
const allowedMs = 100
const giveUpMs = 2000
const maxPumps = 24

const alphabet = [
  ...Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)),
  '\n',
  '\t',
  'é',
  '中',
  '😀',
]

/** Returns the first characters that a part matches. */
const takenBy = (part: string, flags: string): string[] => {
  const pattern = new RegExp(`^(?:${part})$`, flags.replaceAll(/[gym]/g, ''))
  return alphabet.filter((character) => pattern.test(character))
}

/** Returns a character that a part matches: a letter or digit if possible. */
const sampleOf = (part: string, flags: string): string => {
  const taken = takenBy(part, flags)
  return taken.find((character) => /[a0]/.test(character)) ?? taken[0] ?? ''
}

/**
 * Returns texts similar to texts that an expression matches, repeated to 60,000 characters, with possible prefixes and
 * suffixes.
 */
export const pumpedTexts = (source: string, flags: string): string[] => {
  const characters = partsOf(source).filter(({ kind }) => kind === 'character')
  const samples = characters.map(({ text }) => sampleOf(text, flags))
  const whole = samples.join('')
  const pumps = new Map<string, string>()
  const add = (pump: string, before: string): void => {
    if (pump !== '' && pumps.size < maxPumps && !pumps.has(pump)) pumps.set(pump, before)
  }
  const starts = samples.map((_, index) => samples.slice(0, index).join(''))
  for (const [index, sample] of samples.entries()) add(sample, starts[index] ?? '')
  add(' ', '')
  add(whole, '')
  for (const length of [2, 3, 6, 12])
    for (const [index] of samples.entries()) add(samples.slice(index, index + length).join(''), starts[index] ?? '')
  return [...pumps].flatMap(([pump, before]) => {
    const body = pump.repeat(Math.ceil(pumpedLength / pump.length)).slice(0, pumpedLength)
    return [body, `${body}\0`, `${before}${body}`, `${before}${body}\0${whole}`]
  })
}

const context = createContext({ text: '', pattern: /./ })
/** Functions that use an expression. A sticky expression belongs to a scanner, which continues after each match. */
const runs = {
  once: new Script('pattern.exec(text)'),
  everywhere: new Script('text.replace(pattern, "")'),
  sticky: new Script('pattern.lastIndex = 0; for (let found; (found = pattern.exec(text)) && found[0] !== ""; );'),
}

const timeOf = (run: Script, text: string): number => {
  context['text'] = text
  const before = process.threadCpuUsage()
  try {
    run.runInContext(context, { timeout: giveUpMs })
  } catch {
    return giveUpMs
  }
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/**
 * Returns the beginning of a text for which an expression takes too long twice in a row; undefined if there is none.
 */
export const slowText = (source: string, flags: string): { text: string; ms: number } | undefined => {
  context['pattern'] = new RegExp(source, flags)
  const run = flags.includes('y') ? runs.sticky : flags.includes('g') ? runs.everywhere : runs.once
  for (const text of pumpedTexts(source, flags)) {
    let ms = Number.POSITIVE_INFINITY
    for (let round = 0; round < 2 && ms > allowedMs; round++) ms = Math.min(ms, timeOf(run, text))
    if (ms > allowedMs) return { text: text.slice(0, 40), ms: Math.round(ms) }
  }
  return undefined
}

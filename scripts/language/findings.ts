import type { DeveloperText } from './texts.ts'

/** Words that have a plainer alternative, and the alternative. */
const words: readonly (readonly [word: RegExp, better: string])[] = [
  [/\b(?:told|tells?|telling)\b/gi, 'report, notify, send, say which'],
  [/\b(?:hears?|heard)\b/gi, 'receive, is notified'],
  [/\b(?:knows?|knew)\b/gi, 'has, stores, can look up'],
  [/\b(?:wish|wishes|wished)\b/gi, 'ask, want'],
  [/\bluck(?:y|ily)?\b/gi, 'chance'],
  [/\b(?:nobody|somebody|anybody|everybody)\b/gi, 'no process, a user, any caller: name the actor'],
  [/\bwho(?:ever|m)\b/gi, 'name the actor'],
  [/\bin the middle of\b/gi, 'during'],
  [/\ball the same\b/gi, 'still'],
]

/** Names that do not describe their value, or use a word of the list. */
const vagueNames: ReadonlySet<string> = new Set([
  'each',
  'at',
  'found',
  'to',
  'before',
  'of',
  'own',
  'made',
  'asked',
  'kept',
  'one',
  'most',
  'told',
  'places',
  'touches',
])
const vagueStarts = /^(?:most|least|told|tell|touches|kept|asked|made)(?=[A-Z])/

const verbs =
  'is|are|was|were|does|did|do|has|have|had|may|must|can|could|will|would|should|stands?|comes?|goes|holds?|makes?|takes?|keeps?|waits?|needs?|says?|sends?|gets?|gives?|lets?|runs?|reads?|writes?|happens?|follows?|remains?|stays?|leaves?|[a-z]{3,}ed'
/** Openings of a sentence that put a clause, or its object, before the subject. */
const openings: readonly (readonly [opening: RegExp, what: string])[] = [
  [/^Of\b/, 'begins with Of'],
  [/^Who\b/, 'begins with Who'],
  [/^Whoever\b/, 'begins with Whoever'],
  [new RegExp(`^What (?:${verbs})\\b`), 'begins with What and a verb'],
]

/** Maximum number of words in a sentence. */
export const maxWords = 30

/** A violation of a rule: the line, the words, and the rule. */
export type Finding = { line: number; words: string; rule: string }

/** Returns the sentences of a text, without code in backticks, links and tags of doc comments. */
const sentencesOf = (text: string): string[] =>
  text
    .replace(/`[^`]*`/g, 'code')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/https?:\/\/\S+/g, 'link')
    .replace(/\{@\w+ [^}]*\}/g, 'code')
    .split(/(?<=[.!?;:])\s+(?=[A-Z('"[])|\n\s*\n|\n(?=\s*(?:@|[-*] ))|@(?:param|returns|throws|type)\b/)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => sentence !== '')

const findInName = ({ line, text }: DeveloperText): Finding[] =>
  vagueNames.has(text) || vagueStarts.test(text) ? [{ line, words: text, rule: 'says nothing as a name' }] : []

const findInSentence = (line: number, sentence: string): Finding[] => {
  const found: Finding[] = []
  for (const [word, better] of words)
    for (const [match] of sentence.matchAll(word)) found.push({ line, words: match, rule: `better: ${better}` })
  for (const [opening, rule] of openings) if (opening.test(sentence)) found.push({ line, words: sentence, rule })
  const count = sentence.split(' ').filter((word) => /\w/.test(word)).length
  if (count > maxWords) found.push({ line, words: sentence, rule: `has ${count} words` })
  return found
}

/** Returns every violation in the text. */
export const findProblems = (text: DeveloperText): Finding[] =>
  text.kind === 'name' ? findInName(text) : sentencesOf(text.text).flatMap((each) => findInSentence(text.line, each))

/** Returns every violation in a commit subject; none for a subject that follows CONTRIBUTING.md. */
export const findInSubject = (subject: string): Finding[] => {
  const found = findInSentence(0, subject)
  if (subject.length > 72) found.push({ line: 0, words: subject, rule: `has ${subject.length} characters of 72` })
  if (!/^[a-z][a-z0-9 ,/-]*: \S/.test(subject))
    found.push({ line: 0, words: subject, rule: 'does not begin with its area' })
  return found
}

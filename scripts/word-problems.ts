import { parseSync } from 'oxc-parser'
import { isRecord } from '../packages/kernel/src/record.ts'

/** Words that are wrong in every text, and their replacements. */
const rules: [word: RegExp, better: string][] = [
  [/\bcatalogue/i, 'catalog'],
  [
    /\b(?:un)?authoris|\borganis(?:e|a)|\bcustomis|\brecognis|\binitialis|\bnormalis(?:e|a)|\bsynchronis/i,
    '-ize, -ization',
  ],
  [/\bcolour/i, 'color'],
  [/\bbehaviour/i, 'behavior'],
  [/\bcancelled\b/i, 'canceled'],
  [/\bafterwards\b/i, 'afterward'],
  [/\bweb site/i, 'website'],
  [/\be-mail/i, 'email'],
  [/\bmailed\b|\bmails\b/i, 'emailed, emails'],
  [/\blog(?:ged)? in\b/i, 'sign in'],
  [/\bkept back|\bkeeps? back/i, 'blocked, held'],
  [/\btried again\b/i, 'retried'],
  [/\bany more\b/i, 'anymore, no longer'],
  [/\bsomebody\b|\banybody\b|\beverybody\b|\bnobody\b/i, 'someone, anyone, everyone, no one'],
  [/\bby itself\b|\bby themselves\b/i, 'automatically'],
  [/\bis begun\b|\bbegin again\b/i, 'started, start again'],
  [/\bmended\b/i, 'fixed'],
  [/\bis called like\b/i, 'matches'],
  [/\bthe other side\b/i, 'the provider'],
  [/\b(?:user|anonymous|[Gg]roup|[Mm]essage|[Ee]vent|[Ss]ource|[Ww]orkspace|User|Anonymous) ids?\b/, 'ID, IDs'],
]

/** Texts that the specification quotes, exactly. */
const literal = ['Your session has been expired, please login again']

/** A forbidden word in a text, at a line counted from 1. */
export type WordProblem = { line: number; word: string; better: string }

type Text = { start: number; text: string }

/**
 * Whether a string reads like a sentence or a label: words with spaces between them, but not a list of names in code.
 */
const isProse = (text: string): boolean =>
  /[A-Za-z]{2} [a-z]{2}/.test(text) && (/[A-Z,]/.test(text) || /\b(?:a|are|is|it|of|the|to)\b/.test(text))

const textsOf = (file: string, source: string): Text[] => {
  const texts: Text[] = []
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const each of node) visit(each)
    else if (isRecord(node)) {
      const { type, start, value } = node as { type?: string; start?: number; value?: unknown }
      if (type === 'ImportDeclaration' || type === 'TSLiteralType') return
      if (typeof start === 'number') {
        if (type === 'JSXText') texts.push({ start, text: String(value) })
        else if (type === 'Literal' && typeof value === 'string' && isProse(value)) texts.push({ start, text: value })
        else if (type === 'TemplateElement') {
          const { raw } = value as { raw: string }
          if (isProse(raw)) texts.push({ start, text: raw })
        }
      }
      for (const each of Object.values(node)) if (typeof each === 'object') visit(each)
    }
  }
  visit(parseSync(file, source).program)
  return texts
}

/** Returns the prose of a text: Markdown without its blocks and spans of code. */
const withoutCode = (text: string): string =>
  text.replace(/```[^]*?```|`[^`\n]*`/g, (code) => code.replace(/[^\n]/g, ' '))

/**
 * Returns the words that `docs/words.md` forbids in texts for users: strings, templates and JSX of a program,
 * everything but the code of a Markdown file.
 */
export const wordProblems = (file: string, source: string): WordProblem[] => {
  const texts = file.endsWith('.md') ? [{ start: 0, text: withoutCode(source) }] : textsOf(file, source)
  return texts.flatMap(({ start, text }) =>
    literal.some((each) => text.includes(each))
      ? []
      : rules.flatMap(([word, better]) =>
          [...text.matchAll(new RegExp(word, `${word.flags}g`))].map((match) => ({
            line: source.slice(0, start + match.index).split('\n').length,
            word: match[0],
            better,
          })),
        ),
  )
}

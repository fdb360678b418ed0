/** How a row is proven. */
export type CheckKind = 'unit' | 'api' | 'browser'

/** A row of docs/requirements.md: its text and, of each needed check, the kinds that will do. */
export type Requirement = { id: string; area: string; text: string; checks: readonly (readonly CheckKind[])[] }

/** A test that ran. */
export type TestResult = { title: string; kinds: readonly CheckKind[]; passed: boolean }

const row = /^\| ([A-Z]{2,4})-(\d\d) \| (.*) \| (.*) \|$/
const kinds = /^(?:unit|api|browser)(?:\/(?:unit|api|browser))*\b/

/** The rows of a requirements document. Throws for a row without a kind of check. */
export const parseRequirements = (markdown: string): Requirement[] =>
  markdown.split('\n').flatMap((line) => {
    const [, area = '', number = '', text = '', check = ''] = row.exec(line) ?? []
    if (area === '') return []
    const checks = check.split(';').flatMap((part) => {
      const found = kinds.exec(part.trim())?.[0]
      return found === undefined ? [] : [found.split('/') as CheckKind[]]
    })
    if (checks.length === 0) throw new Error(`${area}-${number} does not say how it is checked`)
    return [{ id: `${area}-${number}`, area, text, checks }]
  })

/** The rows that a test title claims to prove, each once. `AUTH-01..03` is not a claim: every id is written out. */
export const rowIdsIn = (title: string): string[] => [...new Set(title.match(/\b[A-Z]{2,4}-\d\d\b/g) ?? [])]

/** The kinds of checks that a row still lacks among the tests about it. */
export const unprovenKinds = (requirement: Requirement, about: readonly TestResult[]): string[] =>
  requirement.checks
    .filter((allowed) => !about.some(({ passed, kinds }) => passed && kinds.some((kind) => allowed.includes(kind))))
    .map((allowed) => allowed.join(' or '))

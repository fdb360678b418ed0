/** The kinds of tests that can prove a row. */
export type CheckKind = 'unit' | 'api' | 'browser'

/** The kind of a test. The gallery is the page of components, which users of the product do not see. */
export type ProofKind = CheckKind | 'gallery'

/** A check of a row: the clause to prove ('' for a row without clauses), and the kinds of tests that can prove it. */
export type Check = { clause: string; kinds: readonly CheckKind[] }

/**
 * A row of docs/requirements.md. If the row needs a part that is not built yet, `waitsFor` names the part, and no test
 * proves the row. If the product does not fulfill the row, `withdrawn` has the reason. No test proves such a row, and
 * it does not count as proven.
 */
export type Requirement = {
  id: string
  area: string
  text: string
  waitsFor: string | undefined
  withdrawn: string | undefined
  checks: readonly Check[]
}

/** A test that ran, and whether it passed. */
export type TestResult = { title: string; kinds: readonly ProofKind[]; passed: boolean }

/** The claim of a test title: the row, or the clause of a row, that the test proves. */
type Claim = { id: string; clause: string }

const row = /^\| ([A-Z]{2,4}-\d\d) \| (.*) \| (.*) \|$/
const waits = /^waits for ([^:;]+): /
const withdraws = /^withdrawn \(([^()]+)\): /
const kinds = /^((?:unit|api|browser)(?:\/(?:unit|api|browser))*)\b:?\s*/
const letter = /^\(([a-z])\) /

/** Returns the checks in a column. Either every check has a clause letter `(a)`, `(b)` … in order, or none has. */
const checksOf = (id: string, column: string): Check[] => {
  let current: CheckKind[] = []
  const checks = column.split(';').flatMap((part): Check[] => {
    const found = kinds.exec(part.trim())
    if (found?.[1] !== undefined) current = found[1].split('/') as CheckKind[]
    const clause = letter.exec(part.trim().slice(found?.[0].length ?? 0))?.[1] ?? ''
    return current.length > 0 && (found !== null || clause !== '') ? [{ clause, kinds: current }] : []
  })
  if (checks.length === 0) throw new Error(`${id} does not say how it is checked`)
  const letters = checks.map(({ clause }) => clause).join('')
  if (letters !== '' && letters !== 'abcdefghijklmnopqrstuvwxyz'.slice(0, checks.length))
    throw new Error(`${id} letters its clauses ${letters}: all of them, from a on`)
  return checks
}

/**
 * Returns the rows of a requirements document. Throws for a row without a kind of check, and for clauses out of order.
 */
export const parseRequirements = (markdown: string): Requirement[] =>
  markdown.split('\n').flatMap((line) => {
    const [, id = '', text = '', column = ''] = row.exec(line) ?? []
    if (id === '') return []
    const [waiting = '', waitsFor] = waits.exec(column) ?? []
    const [gone = '', withdrawn] = withdraws.exec(column) ?? []
    const checks = checksOf(id, column.slice(waiting.length + gone.length))
    return [{ id, area: id.slice(0, -3), text, waitsFor, withdrawn, checks }]
  })

/**
 * Returns the claims of a title. IDs of open points and ambiguities are not rows: such an ID in a title only shows
 * where the decision is tested.
 */
const claimsIn = (title: string): Claim[] =>
  [...title.matchAll(/\b(?!OPEN-|AMB-|UTF-)([A-Z]{2,4}-\d\d)([a-z]?)\b/g)].map(([, id = '', clause = '']) => ({
    id,
    clause,
  }))

/**
 * Returns the IDs of the rows that a test title claims to prove, each once. `AUTH-01..03` is not a claim, because every
 * ID must be written out.
 */
export const rowIdsIn = (title: string): string[] => [...new Set(claimsIn(title).map(({ id }) => id))]

/**
 * Returns the missing proofs of a row as texts; empty for a proven row. Each clause of a row must be claimed by its
 * letter. A row that waits for a part always lacks that part.
 */
export const missingOf = (requirement: Requirement, results: readonly TestResult[]): string[] => {
  const { id, waitsFor, withdrawn, checks } = requirement
  if (withdrawn !== undefined) return [`withdrawn: ${withdrawn}`]
  if (waitsFor !== undefined) return [`waits for ${waitsFor}`]
  const about = results.filter(({ title }) => rowIdsIn(title).includes(id))
  const failed = about.filter(({ passed }) => !passed).map(({ title }) => `failed: ${title}`)
  const open = checks.flatMap(({ clause, kinds: allowed }) => {
    const proofs = about.filter(
      ({ title, passed }) => passed && claimsIn(title).some((claim) => claim.id === id && claim.clause === clause),
    )
    if (proofs.some((proof) => proof.kinds.some((kind) => (allowed as readonly ProofKind[]).includes(kind)))) return []
    const gallery = proofs.some((proof) => proof.kinds.includes('gallery')) ? ' (only in the gallery)' : ''
    return [`${clause === '' ? '' : `(${clause}) `}${allowed.join(' or ')}${gallery}`]
  })
  return [...open, ...failed]
}

const problemOf = (claim: Claim, requirement: Requirement | undefined): string | undefined => {
  if (requirement === undefined) return `there is no row ${claim.id}`
  if (requirement.waitsFor !== undefined) return `${claim.id} waits for ${requirement.waitsFor}`
  if (requirement.withdrawn !== undefined) return `${claim.id} is withdrawn: ${requirement.withdrawn}`
  if (requirement.checks.some(({ clause }) => clause === claim.clause)) return undefined
  return claim.clause === ''
    ? `${claim.id} has clauses: name those that are proven`
    : `${claim.id} has no clause ${claim.clause}`
}

/** Returns the problems of test titles, each once, with the title. */
export const titleProblems = (rows: readonly Requirement[], titles: readonly string[]): string[] => {
  const known = new Map(rows.map((requirement) => [requirement.id, requirement]))
  return [...new Set(titles)].flatMap((title) => {
    const wrong = claimsIn(title).flatMap((claim) => problemOf(claim, known.get(claim.id)) ?? [])
    const many = rowIdsIn(title).length > 5 ? ['more than five rows in one test'] : []
    return [...many, ...new Set(wrong)].map((problem) => `${problem}: ${title}`)
  })
}

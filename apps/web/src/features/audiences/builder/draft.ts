import {
  type AudienceQuery,
  type ElementErrors,
  type QueryGroup,
  type QueryType,
  queryErrors,
  type Segment,
  type SegmentQuery,
  type SelectedAttribute,
} from '@tributary/contract'
import { shortId } from '../../../lib/format/short-id.ts'

/** A number, or the digits of a number while a user types it. */
type Typed = number | string

export type DraftQuery = Omit<SegmentQuery, 'count' | 'timeframe'> & {
  count: { operator: SegmentQuery['count']['operator']; value: Typed }
  timeframe: { time: { unit: 'day' | 'month'; value: Typed } } | null
}
export type DraftSegment = Omit<Segment, 'queries'> & { queries: DraftQuery[] }
export type DraftGroup = Omit<QueryGroup, 'segments'> & { segments: DraftSegment[] }
/** A query that is being built. */
export type DraftTree = Omit<AudienceQuery, 'groups'> & { groups: Record<string, DraftGroup> }

/** A tree with its undo and redo history, and the elements that were filled in, whose errors are shown. */
export type Draft = {
  tree: DraftTree
  past: readonly DraftTree[]
  future: readonly DraftTree[]
  touched: ReadonlySet<string>
}

const segmentsOf = (tree: DraftTree): DraftSegment[] => Object.values(tree.groups).flatMap(({ segments }) => segments)
const queriesIn = (tree: DraftTree): DraftQuery[] => segmentsOf(tree).flatMap(({ queries }) => queries)

/** IDs of all elements of a tree. */
export const idsIn = (tree: DraftTree): string[] => [
  ...Object.keys(tree.groups),
  ...segmentsOf(tree).map(({ id }) => id),
  ...queriesIn(tree).flatMap(({ id, selectedAttributes }) => [id, ...selectedAttributes.map((each) => each.id)]),
]

/** Returns a function that creates IDs that are unused in the tree and unique among themselves. */
const idsFor = (tree: DraftTree): (() => string) => {
  const taken = new Set(idsIn(tree))
  return () => {
    const id = shortId(taken)
    taken.add(id)
    return id
  }
}

export const newAttribute = (id: string): SelectedAttribute => ({
  id,
  name: '',
  valueType: 'text',
  operator: 'equals',
  value: '',
  values: [],
})

export const newQuery = (type: QueryType, nextId: () => string): DraftQuery => ({
  id: nextId(),
  type,
  selectedEvent: '',
  selectedAudience: type === 'audience' ? { name: '', member: true } : null,
  selectedAttributes: type === 'attribute' ? [newAttribute(nextId())] : [],
  timeframe: type === 'event' ? { time: { unit: 'day', value: 30 } } : null,
  count: { operator: 'at_least', value: 1 },
})

export const newSegment = (nextId: () => string, type: QueryType = 'event'): DraftSegment => ({
  id: nextId(),
  tableName: 'users',
  queries: [newQuery(type, nextId)],
})

export const newGroup = (nextId: () => string): DraftGroup => ({
  tableName: 'users',
  operator: 'and',
  segments: [newSegment(nextId)],
})

const noTree: DraftTree = { operator: 'and', groups: {}, includeAnonymous: true }

/** A tree with one empty condition. */
export const newTree = (): DraftTree => {
  const nextId = idsFor(noTree)
  return { ...noTree, groups: { [nextId()]: newGroup(nextId) } }
}

export const draftOf = (tree: DraftTree): Draft => ({ tree, past: [], future: [], touched: new Set() })

/** Maximum number of changes that can be undone. */
const kept = 100

/** The draft with a changed tree; `touched` elements now count as filled in. */
export const changeTree = (draft: Draft, tree: DraftTree, touched: readonly string[] = []): Draft => {
  const there = new Set(idsIn(tree))
  return {
    tree,
    past: [...draft.past, draft.tree].slice(-kept),
    future: [],
    // Errors of deleted elements are not shown.
    touched: new Set([...draft.touched, ...touched].filter((id) => there.has(id))),
  }
}

export const undo = (draft: Draft): Draft => {
  const before = draft.past.at(-1)
  if (before === undefined) return draft
  return { ...draft, tree: before, past: draft.past.slice(0, -1), future: [draft.tree, ...draft.future] }
}

export const redo = (draft: Draft): Draft => {
  const [after, ...future] = draft.future
  return after === undefined ? draft : { ...draft, tree: after, past: [...draft.past, draft.tree], future }
}

/** The draft with all its errors shown. */
export const showErrors = (draft: Draft): Draft => ({ ...draft, touched: new Set(['', ...idsIn(draft.tree)]) })

const mapSegments = (tree: DraftTree, change: (segment: DraftSegment) => DraftSegment[]): DraftTree => ({
  ...tree,
  groups: Object.fromEntries(
    Object.entries(tree.groups).map(([id, group]) => [id, { ...group, segments: group.segments.flatMap(change) }]),
  ),
})

const mapQueries = (tree: DraftTree, change: (query: DraftQuery) => DraftQuery[]): DraftTree =>
  mapSegments(tree, (segment) => [{ ...segment, queries: segment.queries.flatMap(change) }])

export const changeGroup = (tree: DraftTree, id: string, part: Partial<DraftGroup>): DraftTree => {
  const group = tree.groups[id]
  return group === undefined ? tree : { ...tree, groups: { ...tree.groups, [id]: { ...group, ...part } } }
}

export const changeQuery = (tree: DraftTree, id: string, part: Partial<DraftQuery>): DraftTree =>
  mapQueries(tree, (query) => [query.id === id ? { ...query, ...part } : query])

export const changeAttribute = (tree: DraftTree, id: string, part: Partial<SelectedAttribute>): DraftTree =>
  mapQueries(tree, (query) => [
    {
      ...query,
      selectedAttributes: query.selectedAttributes.map((each) => (each.id === id ? { ...each, ...part } : each)),
    },
  ])

export const addGroup = (tree: DraftTree): DraftTree => {
  const nextId = idsFor(tree)
  return { ...tree, groups: { ...tree.groups, [nextId()]: newGroup(nextId) } }
}

export const addSegment = (tree: DraftTree, group: string): DraftTree =>
  changeGroup(tree, group, { segments: [...(tree.groups[group]?.segments ?? []), newSegment(idsFor(tree))] })

export const addQuery = (tree: DraftTree, segment: string, type: QueryType): DraftTree =>
  mapSegments(tree, (each) => [
    each.id === segment ? { ...each, queries: [...each.queries, newQuery(type, idsFor(tree))] } : each,
  ])

export const addAttribute = (tree: DraftTree, query: string): DraftTree =>
  mapQueries(tree, (each) => [
    each.id === query
      ? { ...each, selectedAttributes: [...each.selectedAttributes, newAttribute(idsFor(tree)())] }
      : each,
  ])

/** Deletes an element, and its parents that become empty: a segment without queries, a group without segments. */
export const remove = (tree: DraftTree, id: string): DraftTree => {
  const without = mapSegments(tree, (segment) => {
    if (segment.id === id) return []
    const queries = segment.queries
      .filter((query) => query.id !== id)
      .map((query) => ({
        ...query,
        selectedAttributes: query.selectedAttributes.filter((attribute) => attribute.id !== id),
      }))
    return queries.length === 0 ? [] : [{ ...segment, queries }]
  })
  const groups = Object.entries(without.groups).filter(([key, { segments }]) => key !== id && segments.length > 0)
  return { ...without, groups: Object.fromEntries(groups) }
}

const copyQuery = (query: DraftQuery, nextId: () => string): DraftQuery => ({
  ...query,
  id: nextId(),
  selectedAttributes: query.selectedAttributes.map((each) => ({ ...each, id: nextId() })),
})

const copySegment = (segment: DraftSegment, nextId: () => string): DraftSegment => ({
  ...segment,
  id: nextId(),
  queries: segment.queries.map((query) => copyQuery(query, nextId)),
})

/** Inserts a copy of a group, segment or query after the original. */
export const duplicate = (tree: DraftTree, id: string): DraftTree => {
  const nextId = idsFor(tree)
  const group = tree.groups[id]
  if (group !== undefined) {
    const copy = { ...group, segments: group.segments.map((segment) => copySegment(segment, nextId)) }
    return { ...tree, groups: { ...tree.groups, [nextId()]: copy } }
  }
  return mapSegments(tree, (segment) =>
    segment.id === id
      ? [segment, copySegment(segment, nextId)]
      : [
          {
            ...segment,
            queries: segment.queries.flatMap((each) => (each.id === id ? [each, copyQuery(each, nextId)] : [each])),
          },
        ],
  )
}

const numberOf = (typed: Typed): Typed => {
  const text = String(typed).trim()
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : text
}

/** The saved form of a valid tree: typed digits become a number. */
const saved = (tree: DraftTree): DraftTree =>
  mapQueries(tree, (query) => [
    {
      ...query,
      count: { ...query.count, value: numberOf(query.count.value) },
      timeframe:
        query.timeframe === null
          ? null
          : { time: { ...query.timeframe.time, value: numberOf(query.timeframe.time.value) } },
    },
  ])

/** The errors of a tree by element, or its valid query. */
export const checkTree = (
  tree: DraftTree,
): { query: AudienceQuery } | { errors: ReadonlyMap<string, ElementErrors> } => {
  const query = saved(tree)
  const errors = queryErrors(query)
  // There are no errors, so all numbers are valid.
  return errors.size === 0 ? { query: query as AudienceQuery } : { errors }
}

/** The errors of the elements that were filled in, by ID. */
export const shownErrors = ({ tree, touched }: Draft): ReadonlyMap<string, ElementErrors> => {
  const checked = checkTree(tree)
  return new Map('errors' in checked ? [...checked.errors].filter(([id]) => touched.has(id)) : [])
}

import {
  defaultPersonDataPaths,
  maxPersonPaths,
  type PersonDataKind,
  type PersonDataPlaces,
  pathNames,
  pathOf,
  personDataKinds,
  personPathMistake,
} from '@tributary/contract'
import { useMemo, useState } from 'react'

export type Places = PersonDataPlaces['places']

type Draft = {
  /** The saved paths that the draft is based on. */
  base: PersonDataPlaces
  places: Places
  /** The paths before each step, oldest first. `key` is that of the step that changed them. */
  past: readonly { places: Places; key: string | undefined }[]
}

/** Maximum number of steps that can be undone. */
const maxSteps = 100

/** Returns paths without empty rows, and without spaces around them. */
const cleaned = (places: Places): Places =>
  Object.fromEntries(
    personDataKinds.map(({ kind }) => [kind, places[kind].map((path) => path.trim()).filter((path) => path !== '')]),
  ) as Places

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** Whether a kind has its default paths. */
export const isDefault = (kind: PersonDataKind, paths: readonly string[]): boolean =>
  isSame(paths, defaultPersonDataPaths[kind])

/** Returns why each of the paths of a kind cannot be saved, by its index. Empty rows are left out by saving. */
export const pathProblems = (paths: readonly string[]): ReadonlyMap<number, string> => {
  const listed = new Set<string>()
  const problems = new Map<number, string>()
  for (const [index, given] of paths.entries()) {
    const path = given.trim()
    if (path === '') continue
    const key = pathOf(pathNames(path))
    const mistake = personPathMistake(path) ?? (listed.has(key) ? 'This path is listed already' : undefined)
    if (mistake !== undefined) problems.set(index, mistake)
    listed.add(key)
  }
  if (paths.length > maxPersonPaths) problems.set(maxPersonPaths, `At most ${maxPersonPaths} paths`)
  return problems
}

/** The unsaved paths of a workspace's data of people. */
export const usePlacesDraft = (server: PersonDataPlaces) => {
  const [draft, setDraft] = useState<Draft | undefined>()
  const base = draft?.base ?? server
  const shown = draft?.places ?? server.places
  const places = useMemo(() => cleaned(shown), [shown])
  const changed = personDataKinds.filter(({ kind }) => !isSame(places[kind], base.places[kind]))
  const hasProblems = personDataKinds.some(({ kind }) => pathProblems(shown[kind]).size > 0)
  return {
    /** The paths as they are entered. */
    shown,
    /** The paths as they would be saved. */
    places,
    revision: base.revision,
    dirty: changed.length > 0,
    hasProblems,
    /** Whether someone else has saved since the draft began. */
    isOutdated: changed.length > 0 && base.revision !== server.revision,
    words:
      changed.length > 3
        ? `the paths of ${changed.length} kinds of data`
        : changed.map(({ label }) => label).join(', '),
    canUndo: (draft?.past.length ?? 0) > 0,
    /** Changes the paths of kinds. Consecutive steps with the same `key` are undone together. */
    edit: (change: Partial<Places>, key?: string): void =>
      setDraft((before) => {
        const from = before ?? { base: server, places: server.places, past: [] }
        const together = key !== undefined && from.past.at(-1)?.key === key
        const past = together ? from.past : [...from.past, { places: from.places, key }].slice(-maxSteps)
        return { base: from.base, places: { ...from.places, ...change }, past }
      }),
    undo: (): void =>
      setDraft((before) => {
        const last = before?.past.at(-1)
        return before === undefined || last === undefined
          ? before
          : { ...before, places: last.places, past: before.past.slice(0, -1) }
      }),
    discard: (): void => setDraft(undefined),
    /** Bases the draft on the paths that someone else has saved; its changes stay. */
    rebase: (): void => setDraft((before) => (before === undefined ? undefined : { ...before, base: server })),
  }
}

export type PlacesDraft = ReturnType<typeof usePlacesDraft>

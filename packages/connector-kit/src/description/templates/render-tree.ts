import { workOfValue } from '@tributary/contract'
import { ExactNumber, isJsonObject, type JsonObject } from '@tributary/kernel'
import { renderValue, type TemplateBudget, templateLimits } from '../../templates/json-template.ts'
import type { Tree } from '../format/schema-requests.ts'
import { needsLiquid, quickTemplate } from './quick-template.ts'
import { ulidOf } from './ulid.ts'

/** Maximum items that `$each` makes of one event. */
const maxEach = 1000

/** Why a tree cannot be rendered for an event, for users. */
export class TreeProblem extends Error {}

/** The variables of the templates, and the work that is left for one event. */
export type Scope = { readonly variables: Readonly<Record<string, unknown>>; readonly budget: TemplateBudget }

/** Returns a scope with the full budget of one event. */
export const scopeOf = (variables: Readonly<Record<string, unknown>>): Scope => {
  const { steps, memory, work, output } = templateLimits
  return { variables, budget: { steps, memory, work, output } }
}

/** Work of a rendered value, and of a character or copied member, in units of the budget: about a nanosecond each. */
const perValue = 60
const perCharacter = 2
const perMember = 60

/** Takes work from the budget of an event, so that loops in loops end. Throws TreeProblem if it is used up. */
const spend = ({ budget }: Scope, work: number): void => {
  budget.work -= work
  if (budget.work < 0) throw new TreeProblem('A template fails: the values of the event are too large')
}

/** Whether a text has a template; other texts are constants. */
export const isTemplate = (text: string): boolean => text.includes('{{') || text.includes('{%')

const variableAlone = /^\{\{ ?([a-z][a-z0-9_]{0,59}) ?\}\}$/
const literals: ReadonlySet<string> = new Set(['true', 'false', 'nil', 'null', 'empty', 'blank'])

/** Returns the value of a variable alone, without Liquid: most texts are one. A null stays null. Throws TreeProblem. */
const variableOf = (name: string, scope: Scope): unknown => {
  const { variables, budget } = scope
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined
  if (value === undefined || value === '') return undefined
  spend(scope, workOfValue(value, budget.work))
  return value
}

const memberAlone = /^\{\{ ?([a-z][a-z0-9_]{0,59}(?:\.[a-z][a-z0-9_]{0,59})+) ?\}\}$/
/** Names that mean something else than a member in Liquid. */
const liquidNames: ReadonlySet<string> = new Set(['size', 'first', 'last'])

/** Returns the value of a path without Liquid; undefined if there is none. */
const readPath = (path: string, { variables }: Scope): unknown => {
  const names = path.split('.')
  if (literals.has(names[0] ?? '') || names.some((name) => liquidNames.has(name))) return needsLiquid
  let value: unknown = variables
  for (const name of names) {
    if (value === undefined || value === null) return undefined
    if (!isJsonObject(value)) return needsLiquid
    value = Object.hasOwn(value, name) ? value[name] : undefined
  }
  return value
}

/** Returns what a template gives without Liquid. `needsLiquid` if Liquid has to decide. Throws TreeProblem. */
const quickly = (text: string, scope: Scope): unknown => {
  const [, member = ''] = memberAlone.exec(text) ?? []
  const made =
    member !== ''
      ? (readPath(member, scope) ?? undefined)
      : (quickTemplate(text)?.({
          read: (path) => readPath(path, scope),
          spend: (characters) => spend(scope, perCharacter * characters),
        }) ?? needsLiquid)
  if (made !== needsLiquid && made !== undefined) spend(scope, workOfValue(made, scope.budget.work))
  return made
}

/** Renders a text; undefined for no value and for an empty text of a template. Throws TreeProblem. */
export const renderLeaf = (text: string, scope: Scope): unknown => {
  spend(scope, perCharacter * text.length)
  if (!isTemplate(text)) return text
  const { variables, budget } = scope
  const [, alone = ''] = variableAlone.exec(text) ?? []
  if (alone !== '' && !literals.has(alone)) return variableOf(alone, scope)
  const quick = quickly(text, scope)
  if (quick !== needsLiquid) return quick === '' ? undefined : quick
  const rendered = renderValue(text, variables, { budget, owner: 'description' })
  if ('problem' in rendered) throw new TreeProblem(`A template fails: ${rendered.problem.message}`)
  return rendered.value === '' ? undefined : rendered.value
}

const merged = (parts: unknown, without: unknown, scope: Scope): JsonObject => {
  const left: ReadonlySet<unknown> = new Set(Array.isArray(without) ? without : [])
  // Only lists that the description makes itself are spread, never those of an event.
  const isMade = (part: Tree): boolean => isJsonObject(part) && (part.$each !== undefined || part.$pairs !== undefined)
  const objects = (Array.isArray(parts) ? parts : []).flatMap((part: Tree) => {
    const made = renderTree(part, scope)
    return Array.isArray(made) && !isMade(part) ? [] : made
  })
  const members = objects.filter(isJsonObject).flatMap((object) => Object.entries(object))
  spend(scope, perMember * members.length)
  return Object.fromEntries(left.size === 0 ? members : members.filter(([name]) => !left.has(name)))
}

const pairsOf = (object: unknown): unknown[] =>
  isJsonObject(object) ? Object.entries(object).map(([key, value]) => ({ key, value })) : []

const each = (items: unknown, item: Tree | undefined, scope: Scope): unknown[] => {
  if (!Array.isArray(items)) return []
  if (items.length > maxEach) throw new TreeProblem(`A list has ${items.length} items, more than ${maxEach}`)
  return items
    .map((one: unknown) => renderTree(item ?? null, { ...scope, variables: { ...scope.variables, item: one } }))
    .filter((value) => value !== undefined)
}

const named = (name: Tree, value: Tree | undefined, scope: Scope): JsonObject | undefined => {
  const key = renderTree(name, scope)
  const rendered = value === undefined ? undefined : renderTree(value, scope)
  if ((typeof key !== 'string' && typeof key !== 'number') || rendered === undefined) return undefined
  return Object.fromEntries([[key, rendered]])
}

/** Returns an object whose members are texts, without lists and objects. */
const texts = (object: unknown): JsonObject | undefined =>
  isJsonObject(object)
    ? Object.fromEntries(
        Object.entries(object)
          .filter(([, value]) => value !== null && (typeof value !== 'object' || value instanceof ExactNumber))
          .map(([name, value]) => [name, String(value)]),
      )
    : undefined

/** Returns an object whose members are neither lists nor objects: names of inner ones are joined, as in `a.b[0].c`. */
const flat = (object: unknown, scope: Scope): JsonObject | undefined => {
  if (!isJsonObject(object)) return undefined
  const entries: [string, unknown][] = []
  const add = (name: string, value: unknown): void => {
    spend(scope, perMember + perCharacter * name.length)
    if (Array.isArray(value)) for (const [at, item] of value.entries()) add(`${name}[${at}]`, item)
    else if (isJsonObject(value)) for (const [inner, item] of Object.entries(value)) add(`${name}.${inner}`, item)
    else entries.push([name, value])
  }
  for (const [name, value] of Object.entries(object)) add(name, value)
  return Object.fromEntries(entries)
}

const ulid = (id: unknown, at: unknown): string | undefined =>
  typeof id === 'string' && typeof at === 'string' ? ulidOf(id, Date.parse(at)) : undefined

const isTrue = (value: unknown): boolean => value !== undefined && value !== null && value !== false && value !== ''

/**
 * Renders a tree to a JSON value; undefined if nothing of it has a value. Members and items without a value are left
 * out, and so are objects and lists of which nothing is left. Throws TreeProblem.
 */
export const renderTree = (tree: Tree, scope: Scope): unknown => {
  spend(scope, perValue)
  if (typeof tree === 'string') return renderLeaf(tree, scope)
  if (typeof tree !== 'object' || tree === null) return tree
  if (Array.isArray(tree)) {
    const items = tree.map((item: Tree) => renderTree(item, scope)).filter((item) => item !== undefined)
    return items.length === 0 && tree.length > 0 ? undefined : items
  }
  const members = tree as Readonly<Record<string, Tree>>
  if (members.$merge !== undefined) return merged(members.$merge, members.$without, scope)
  if (members.$each !== undefined) return each(renderTree(members.$each, scope), members.$item, scope)
  if (members.$pairs !== undefined) return each(pairsOf(renderTree(members.$pairs, scope)), members.$item, scope)
  if (members.$texts !== undefined) return texts(renderTree(members.$texts, scope))
  if (members.$flat !== undefined) return flat(renderTree(members.$flat, scope), scope)
  if (members.$name !== undefined) return named(members.$name, members.$value, scope)
  if (members.$if !== undefined) {
    const chosen = isTrue(renderTree(members.$if, scope)) ? members.$then : members.$else
    return chosen === undefined ? undefined : renderTree(chosen, scope)
  }
  if (members.$ulid !== undefined) return ulid(renderTree(members.$ulid, scope), renderTree(members.$at ?? null, scope))
  const given = Object.entries(members)
  const entries: [string, unknown][] = []
  for (const [name, value] of given) {
    const rendered = renderTree(value, scope)
    spend(scope, perCharacter * name.length)
    if (rendered !== undefined) entries.push([name, rendered])
  }
  return entries.length === 0 && given.length > 0 ? undefined : Object.fromEntries(entries)
}

/** Returns the templates of a tree. */
export const templatesOf = (tree: Tree): string[] => {
  if (typeof tree === 'string') return isTemplate(tree) ? [tree] : []
  if (typeof tree !== 'object' || tree === null) return []
  return Object.values(tree).flatMap(templatesOf)
}

import { isJsonObject } from '@tributary/kernel'
import { templatePaths } from '../../templates/json-template.ts'
import type { DescribedRequest } from '../format/schema-requests.ts'
import { settingsOfCredential, tokenServersOf } from '../requests/credentials.ts'
import type { Described } from '../requests/open-request.ts'
import { partsOf } from '../templates/render-text.ts'
import { isTemplate } from '../templates/render-tree.ts'
import { pathsOf, templateProblems } from './template-problems.ts'

/** Forms of texts by the names that descriptions give them. `country` is a code or a name. */
export type Normalizations = Readonly<Record<string, (text: string, country?: string) => string>>

/** Returns a problem if there is one. */
const when = (isProblem: boolean, problem: string): string[] => (isProblem ? [problem] : [])

const listed = (one: string | undefined): string[] => (one === undefined ? [] : [one])

const missing = (where: string, kind: string, names: readonly string[], known: object): string[] =>
  names
    .filter((name) => !Object.hasOwn(known, name))
    .map((name) => `${where} names a ${kind} ${name} that there is not`)

const isSecretServer = (server: Described['servers'][string] | undefined): boolean =>
  typeof server === 'object' && 'secret' in server

const serverProblems = ({ servers, settings }: Described): string[] =>
  Object.entries(servers).flatMap(([name, server]) => {
    if (typeof server === 'string') return []
    const where = `The server ${name}`
    const setting = 'secret' in server ? server.secret : server.setting
    const described = settings[setting]
    if (described === undefined) return missing(where, 'setting', [setting], settings)
    if ('choices' in server) {
      const values = described.type === 'choice' ? described.choices.map(({ value }) => value) : []
      const isSame =
        values.length === Object.keys(server.choices).length &&
        values.every((value) => Object.hasOwn(server.choices, value))
      return when(!isSame, `${where} has not one host for each choice of ${setting}`)
    }
    if ('secret' in server) return when(described.type !== 'secret', `${where} needs a secret as ${setting}`)
    if (!('host' in server)) return when(described.type !== 'url', `${where} needs a URL as ${setting}`)
    const isLabel = described.type === 'text' && described.host_label === true
    return when(!isLabel, `${where} needs a text with host_label as ${setting}`)
  })

const pathProblems = (where: string, path: string): string[] => {
  const parts = path.split('/')
  const constants = parts.flatMap(partsOf).filter((part) => !isTemplate(part))
  const isDivided = parts.some((part) => part.split('{{').length !== part.split('}}').length)
  return [
    ...when(parts.includes('..') || parts.includes('.'), `${where} has a path with dots`),
    ...when(isDivided, `${where} has a path with / in a template`),
    ...when(/[?#\s]/.test(constants.join('')), `${where} has ?, #, or a space in its path`),
  ]
}

const requestProblems = (described: Described, name: string, request: DescribedRequest): string[] => {
  const where = `The request ${name}`
  const { find, path, batch, encoding } = request
  const { servers, auth, requests } = described
  const credentials = auth[request.auth] ?? []
  const isSecret = isSecretServer(servers[request.server])
  const hasPlace = path.split('/').includes('{auth}')
  return [
    ...when(isSecret && path !== '/', `${where} has a secret address, and a path that is not /`),
    // Another address must not get other secrets.
    ...when(isSecret && credentials.length > 0, `${where} has a secret address, and credentials`),
    ...missing(where, 'server', [request.server], servers),
    ...missing(where, 'credential', [request.auth], auth),
    ...missing(where, 'request', find === undefined ? [] : [find.request, find.otherwise ?? name], requests),
    ...when(find !== undefined && batch !== undefined, `${where} is a batch, and cannot look a record up`),
    ...when(encoding === 'form' && batch?.at === '', `${where} is a form, and has a list as its body`),
    ...pathProblems(where, path),
    ...when(
      hasPlace && !credentials.some((one) => one.in === 'path'),
      `${where} has {auth} in its path, and no credential for it`,
    ),
  ]
}

/** Whether a tree makes a list of items: `$each`, a list, or a field with one, also in the parts of a condition. */
const makesList = (item: unknown, fields: Described['actions'][string]['fields']): boolean => {
  if (Array.isArray(item)) return true
  if (typeof item === 'string')
    return templatePaths(item).some(
      ([name]) => typeof name === 'string' && ['any', 'array'].includes(fields[name]?.type ?? ''),
    )
  if (!isJsonObject(item)) return false
  return '$each' in item || '$pairs' in item || ['$then', '$else'].some((part) => makesList(item[part], fields))
}

/** A record that has to be sent again would be lost, because the accepted records of its event are not sent again. */
const repeatProblems = ({ actions, requests, answers }: Described): string[] =>
  Object.entries(actions).flatMap(([name, { item, request, fields }]) => {
    const { batch, answers: own = answers } = requests[request] ?? {}
    const isRetrying = batch !== undefined && own.items.some(({ retry }) => retry !== undefined)
    const problem = `The action ${name} has several items, and its answers retry single ones`
    return when(isRetrying && makesList(item, fields), problem)
  })

/** The variables that templates have besides fields. */
const ownVariables = ['custom', 'settings', 'item', 'found']

const fieldProblems = ({ actions, settings }: Described, normalizations: Normalizations): string[] =>
  Object.entries(actions).flatMap(([action, { fields }]) =>
    Object.entries(fields).flatMap(([name, field]) => {
      const where = `The field ${name} of the action ${action}`
      const { pii, normalize, country_field: countryField, country_setting: countrySetting } = field
      const countries = [countryField, countrySetting].flatMap(listed)
      return [
        ...when(ownVariables.includes(name), `${where} has the name of a variable`),
        ...missing(where, 'normalization', listed(normalize), normalizations),
        ...missing(where, 'field', listed(countryField), fields),
        ...missing(where, 'setting', listed(countrySetting), settings),
        ...when(settings[countrySetting ?? '']?.type === 'secret', `${where} has a secret as its country`),
        ...when(pii === undefined && countries.length > 0, `${where} has a country, and no pii`),
      ]
    }),
  )

const objectProblems = (
  { name, actions: own, rows }: Described['objects'][number],
  { actions }: Described,
): string[] => {
  const where = `The object ${name}`
  const { identifiers = [], named, ...operations } = rows ?? {}
  const used = Object.values(operations)
  const needed = [...identifiers, ...listed(named?.field)]
  return [
    ...missing(where, 'action', [...own, ...used], actions),
    ...when(rows !== undefined && used.length === 0, `${where} has rows without an operation`),
    ...used.filter((action) => !own.includes(action)).map((action) => `${where} does not list its action ${action}`),
    ...used.flatMap((action) =>
      missing(`The action ${action} of rows`, 'field', needed, actions[action]?.fields ?? {}),
    ),
  ]
}

/**
 * Returns the problems of a description, empty if there are none. Problems are names that refer to nothing, templates that
 * fail, secrets in templates, and addresses that an event could change.
 */
export const descriptionProblems = (described: Described, normalizations: Normalizations = {}): string[] => {
  const { actions, auth, requests, settings, servers, test, deletion, objects, presets } = described
  const ofAuth = Object.entries(auth).flatMap(([name, credentials]) =>
    credentials.flatMap((credential) => [
      ...missing(`The credential ${name}`, 'setting', settingsOfCredential(credential), settings),
      ...missing(`The credential ${name}`, 'server', tokenServersOf(credential), servers),
      // Another address must not get other secrets.
      ...tokenServersOf(credential)
        .filter((server) => isSecretServer(servers[server]))
        .map((server) => `The credential ${name} has the secret address ${server} as its server`),
      ...pathsOf(credential).flatMap((path) => pathProblems(`The credential ${name}`, path)),
    ]),
  )
  const ofActions = Object.entries(actions).flatMap(([name, { request, needs_one_of: needed = [], fields }]) => [
    ...missing(`The action ${name}`, 'request', [request], requests),
    ...missing(`The action ${name}`, 'field', needed.flat(), fields),
  ])
  return [
    ...when(auth.default === undefined, 'There is no credential default'),
    ...serverProblems(described),
    ...ofAuth,
    ...Object.entries(requests).flatMap(([name, request]) => requestProblems(described, name, request)),
    ...ofActions,
    ...fieldProblems(described, normalizations),
    ...repeatProblems(described),
    ...objects.flatMap((object) => objectProblems(object, described)),
    ...presets.flatMap(({ action, as }) => [
      ...missing('A preset', 'action', [action], actions),
      ...missing('A preset', 'field', listed(as), actions[action]?.fields ?? {}),
    ]),
    ...missing('The test', 'request', [test.request], requests),
    ...missing('The deletion', 'request', listed(deletion?.request), requests),
    ...missing('The deletion', 'setting', listed(deletion?.needs), settings),
    ...templateProblems(described),
  ]
}

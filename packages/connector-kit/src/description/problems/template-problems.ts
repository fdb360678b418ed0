import { templateReads } from '../../templates/json-template.ts'
import type { DescribedRequest, Tree } from '../format/schema-requests.ts'
import type { DescribedCredential } from '../format/schema-settings.ts'
import type { Described } from '../requests/open-request.ts'
import { isTemplate, templatesOf } from '../templates/render-tree.ts'

/** Templates of one place, and the variables that they can read beside `settings`. */
type Place = { where: string; templates: readonly string[]; variables: readonly string[] }

/** Returns the paths of the token requests of a credential. */
export const pathsOf = (credential: DescribedCredential): string[] => {
  if (credential.in === 'client_credentials') return [credential.path]
  return credential.in === 'grant' ? [credential.authorize_path, credential.token_path] : []
}

const credentialTemplates = (credential: DescribedCredential): string[] => {
  if (credential.in !== 'client_credentials' && credential.in !== 'grant') return []
  const scopes = credential.in === 'grant' ? credential.scopes : [credential.scope]
  const segments = pathsOf(credential).flatMap((path) => path.split('/'))
  return [...segments, ...scopes, ...Object.values(credential.parameters)].filter(isTemplate)
}

const requestTemplates = ({ path, query, headers, body }: DescribedRequest): string[] => [
  ...path.split('/').filter((part) => part.includes('{') && part !== '{auth}'),
  ...Object.values(query),
  ...Object.values(headers),
  ...ofTree(body),
]

const ofTree = (tree: Tree | undefined): string[] => (tree === undefined ? [] : templatesOf(tree))

/** Returns every place of templates. */
const placesOf = ({ actions, auth, requests, test, deletion }: Described): Place[] => {
  const texts = Object.entries(requests).map(([name, request]) => [name, requestTemplates(request)] as const)
  const templatesOfRequest = new Map(texts)
  const alone = (name: string, variables: readonly string[]): Place => ({
    where: `The request ${name}`,
    templates: templatesOfRequest.get(name) ?? [],
    variables,
  })
  /** A request, and those of its lookup, which look nothing up themselves. */
  const ofRequest = (name: string, variables: readonly string[]): Place[] => {
    const find = templatesOfRequest.has(name) ? requests[name]?.find : undefined
    const inner = find === undefined ? [] : [find.request, find.otherwise ?? name]
    const own = [...variables, 'item', ...(find === undefined ? [] : ['found'])]
    return [name, ...inner.filter((other) => other !== name)].map((one) => alone(one, own))
  }
  return [
    ...Object.entries(auth).map(([name, credentials]) => ({
      where: `The credential ${name}`,
      templates: credentials.flatMap(credentialTemplates),
      variables: [],
    })),
    ...Object.entries(actions).flatMap(([name, { fields, item, request }]) => {
      const variables = [...Object.keys(fields), 'custom']
      const where = `The action ${name}`
      return [{ where, templates: ofTree(item), variables: [...variables, 'item'] }, ...ofRequest(request, variables)]
    }),
    { where: 'The test', templates: ofTree(test.item), variables: [] },
    ...ofRequest(test.request, []),
    ...(deletion === undefined
      ? []
      : [
          { where: 'The deletion', templates: ofTree(deletion.item), variables: ['id', 'ids'] },
          ...ofRequest(deletion.request, ['id', 'ids']),
        ]),
  ]
}

/** Returns the problems of templates: those that fail, and those that read a secret, or what there is not. */
export const templateProblems = (described: Described): string[] => {
  const { settings } = described
  const known = new Map<string, ReturnType<typeof templateReads>>()
  const readsOf = (template: string): ReturnType<typeof templateReads> => {
    const reads = known.get(template) ?? templateReads(template)
    known.set(template, reads)
    return reads
  }
  const problemsOf = (template: string, where: string, variables: ReadonlySet<unknown>): string[] => {
    const reads = readsOf(template)
    if ('problem' in reads) return [`${where} has a template that fails: ${template}: ${reads.problem.message}`]
    return reads.paths.flatMap(([first, second]) => {
      if (first === 'settings') {
        const setting = typeof second === 'string' && Object.hasOwn(settings, second) ? settings[second] : undefined
        if (setting === undefined) return [`${where} reads a setting that there is not: ${template}`]
        return setting.type === 'secret' ? [`${where} reads a secret: ${template}`] : []
      }
      return variables.has(first) ? [] : [`${where} reads ${String(first)}, which there is not`]
    })
  }
  const problems = placesOf(described).flatMap(({ where, templates, variables }) => {
    const all = new Set<unknown>(variables)
    return templates.flatMap((template) => problemsOf(template, where, all))
  })
  return [...new Set(problems)]
}

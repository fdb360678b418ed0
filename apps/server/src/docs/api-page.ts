import { type Method, methodList } from '@tributary/contract'

/** The title of a resource: `sourceSchemaTemplates` becomes `Source schema templates`. */
const titleOf = (resource: string): string => {
  const words = resource.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const rowOf = ({ name, verb, path, summary }: Method): string => {
  const [resource] = name.split('.')
  return `| [\`${verb} /api${path}\`](/api/docs#/${resource}/${name}) | ${summary.replaceAll('|', '\\|')} |`
}

/** All methods of the API by their resource, as Markdown sections that follow the guide to the API. */
export const apiCalls = (): string => {
  const resources = Map.groupBy(methodList, ({ name }) => name.split('.')[0] ?? name)
  return [...resources]
    .map(([resource, methods]) =>
      [`## ${titleOf(resource)}`, ['| call | what |', '| --- | --- |', ...methods.map(rowOf)].join('\n')].join('\n\n'),
    )
    .join('\n\n')
}

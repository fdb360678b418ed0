import { type Method, methodList } from '@tributary/contract'

/** `sourceSchemaTemplates` as people write it: `Source schema templates`. */
const titleOf = (resource: string): string => {
  const words = resource.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const rowOf = ({ name, verb, path, summary }: Method): string => {
  const [resource] = name.split('.')
  return `| [\`${verb} /api${path}\`](/api/docs#/${resource}/${name}) | ${summary.replaceAll('|', '\\|')} |`
}

/** Every call of the API by its resource, as Markdown: sections that follow what the guide says of the API. */
export const apiCalls = (): string => {
  const resources = Map.groupBy(methodList, ({ name }) => name.split('.')[0] ?? name)
  return [...resources]
    .map(([resource, methods]) =>
      [`## ${titleOf(resource)}`, ['| call | what |', '| --- | --- |', ...methods.map(rowOf)].join('\n')].join('\n\n'),
    )
    .join('\n\n')
}

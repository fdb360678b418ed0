import { formatSourceSchema, parseSourceSchema, sourceTypes } from '@tributary/contract'
import type { SourceDefinition } from './source-definition.ts'

/** Placeholders for the reader's own values, which the code of a guide may contain. */
const placeholders = new Set(['origin', 'host', 'insecure', 'writeKey'])

const guideProblems = ({ guide }: SourceDefinition): string[] => {
  const codes = guide.map(({ code = '' }) => code).join('\n')
  const texts = guide.map(({ text }) => text).join('\n')
  const unknown = [...`${codes}\n${texts}`.matchAll(/\{\{(\w+)\}\}/g)].flatMap(([, name = '']) =>
    placeholders.has(name) ? [] : [`The guide has {{${name}}}, which stands for nothing`],
  )
  return [
    ...(/\{\{(origin|host)\}\}/.test(codes) ? [] : ['No code of the guide names this server']),
    ...(codes.includes('{{writeKey}}') ? [] : ['No code of the guide has the write key']),
    ...unknown,
  ]
}

const settingProblems = ({ settings }: SourceDefinition): string[] =>
  (settings?.fields ?? []).flatMap(({ name, label, help }) => [
    ...(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name) ? [] : [`The setting ${name} is not named in snake_case`]),
    ...(label.trim() === '' || help.trim() === '' ? [`The setting ${name} lacks a label or a help`] : []),
  ])

const schemaProblems = ({ predefinedSchema: schema }: SourceDefinition): string[] => {
  if (schema === undefined) return []
  const text = formatSourceSchema(schema)
  return formatSourceSchema(parseSourceSchema(text)) === text ? [] : ['Its schema does not read back as it is']
}

/** Returns the problems of a source that must be fixed before it is offered to users; empty if it is complete. */
export const sourceProblems = (definition: SourceDefinition): string[] => {
  const { slug, title, description, type, docsUrl } = definition
  return [
    ...(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(slug) ? [] : [`The slug "${slug}" is not in kebab-case`]),
    ...(title.trim() === '' ? ['The title is empty'] : []),
    ...(description.length > 60 ? [] : ['The description says too little']),
    ...(Object.values<number>(sourceTypes).includes(type) ? [] : [`There is no type ${type}`]),
    ...(URL.parse(docsUrl)?.protocol === 'https:' || /^\/docs\/[a-z0-9-]+$/.test(docsUrl)
      ? []
      : ['The address of the documentation is neither an https URL nor a page of the product']),
    ...guideProblems(definition),
    ...settingProblems(definition),
    ...schemaProblems(definition),
  ]
}

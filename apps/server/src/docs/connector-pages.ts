import type {
  DestinationDefinition,
  FieldDefinition,
  ListedDestination,
  ListedSource,
  SourceDefinition,
} from '@tributary/connector-kit'
import { sourceTypes, syncModes } from '@tributary/contract'

/** A page generated from a connector's definition: its Markdown and its entry in the lists of pages. */
export type ConnectorPage = { slug: string; title: string; about: string; icon: string; kind: string; text: string }

type Step = { title: string; text: string; code?: string; language?: string }

const cellOf = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll(/\s+/g, (space) => (space.includes('\n') ? ' ' : space))

/** A code fence that is not contained in the code. */
const fenceOf = (code: string): string => (code.includes('```') ? '~~~~' : '```')

const stepOf = ({ title, text, code = '', language = '' }: Step, at: number): string => {
  const fence = fenceOf(code)
  return [`## ${at + 1}. ${title}`, text, ...(code === '' ? [] : [`${fence}${language}\n${code}\n${fence}`])].join(
    '\n\n',
  )
}

const valueOf = ({ default: value, choices }: FieldDefinition): string => {
  if (value === undefined || value === '') return ''
  if (typeof value === 'boolean') return value ? 'On' : 'Off'
  return choices?.find((choice) => choice.value === value)?.label ?? `\`${String(value).split('\n')[0] ?? ''}\``
}

const settingsOf = (fields: readonly FieldDefinition[] = []): string[] =>
  fields.length === 0
    ? []
    : [
        '## Settings',
        [
          '| setting | what | default |',
          '| --- | --- | --- |',
          ...fields.map((field) => {
            const more = [
              field.required && field.default === undefined ? 'Required.' : '',
              field.choices === undefined ? '' : `One of: ${field.choices.map(({ label }) => label).join(', ')}.`,
            ].filter((part) => part !== '')
            const what = [field.help, ...more].join(' ')
            return `| **${cellOf(field.label)}** | ${cellOf(what)} | ${cellOf(valueOf(field))} |`
          }),
        ].join('\n'),
      ]

const firstSentence = (text: string): string => /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text

const kindOf = (type: number): string =>
  Object.entries(sourceTypes).find(([, number]) => number === type)?.[0] ?? 'Unspecified'

/** The page of a source: description, set-up guide, settings, and the initial events of its schema. */
export const sourcePage = ({ icon }: ListedSource, source: SourceDefinition): ConnectorPage => {
  const titles = [...(source.predefinedSchema?.events.keys() ?? [])].map((name) => `\`${name}\``)
  const parts = [
    `# ${source.title}`,
    source.description,
    ...(source.targetProduct === 'SIGNALS' ? ['It is a [signal source](tag.md).'] : []),
    'The same steps are on the **Set up** page of a source of this kind, which turns green when the first event comes.',
    ...source.guide.map(stepOf),
    ...settingsOf(source.settings?.fields),
    ...(titles.length === 0
      ? []
      : ['## Schema', `A source of this kind begins with a schema of these events: ${titles.join(', ')}.`]),
    ...(source.docsUrl === undefined
      ? []
      : ['## Read more', `[Documentation of ${source.title}](${source.docsUrl}), from its vendor.`]),
  ]
  const { slug, title, description, type } = source
  return { slug, title, about: firstSentence(description), icon, kind: kindOf(type), text: parts.join('\n\n') }
}

const receivesOf = ({ objects }: DestinationDefinition): string[] => [
  '## What it receives',
  [
    '| object | what | how |',
    '| --- | --- | --- |',
    ...objects.map(
      ({ title, description, syncModes: modes }) =>
        `| **${cellOf(title)}** | ${cellOf(description)} | ${modes.map((mode) => syncModes[mode].title).join(', ')} |`,
    ),
  ].join('\n'),
]

const actionsOf = ({ actions }: DestinationDefinition): string[] => [
  '## Actions',
  'A [mapping](mappings.md) chooses one of these actions for the events that match its trigger.',
  ...actions.flatMap(({ title, description, targets }) => [
    `### ${title}`,
    description,
    ...(targets.length === 0
      ? []
      : [
          [
            '| field | what | need |',
            '| --- | --- | --- |',
            ...targets.map(({ label, help, required, recommended }) => {
              const need = required ? 'Required' : recommended ? 'Recommended' : ''
              return `| **${cellOf(label)}** | ${cellOf(help)} | ${need} |`
            }),
          ].join('\n'),
        ]),
  ]),
]

/** The page of a destination: description, set-up guide, settings, and how it handles events. */
export const destinationPage = ({ icon }: ListedDestination, destination: DestinationDefinition): ConnectorPage => {
  const { slug, title, description, docs } = destination
  const more = docs.url.startsWith('/docs/')
    ? `[Reference: ${title}](${docs.url.slice('/docs/'.length)}.md)`
    : `[Documentation of ${title}](${docs.url}), from its vendor.`
  const parts = [
    `# ${title}`,
    description,
    ...docs.steps.map(stepOf),
    ...settingsOf(destination.settings.fields),
    ...receivesOf(destination),
    ...actionsOf(destination),
    '## Read more',
    more,
  ]
  return { slug, title, about: firstSentence(description), icon, kind: '', text: parts.join('\n\n') }
}

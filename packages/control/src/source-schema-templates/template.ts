import {
  formatSourceSchema,
  type ObjectSchema,
  type PropertySchema,
  type PropertyType,
  type Requirement,
  type SourceSchema,
} from '@tributary/contract'

/**
 * A property of a template: its type, how strongly it is required, its description and, for arrays, the type of an
 * item.
 */
export type TemplateProperty =
  | readonly [type: PropertyType, requirement: Requirement, description: string]
  | readonly [type: 'array', requirement: Requirement, description: string, items: TemplateObject]

/** The properties of an event, the user or an item, by name. */
export type TemplateObject = { readonly [property: string]: TemplateProperty }

/** An event plan that a new source can start with. */
export type Template = {
  /** Name in `sourceSchemaTemplates/{slug}`, kebab-case; never changed. */
  readonly slug: string
  readonly title: string
  readonly description: string
  readonly events: { readonly [title: string]: TemplateObject }
  /** Traits of identify calls. */
  readonly user?: TemplateObject
}

const propertyOf = ([type, , description, items]: TemplateProperty): PropertySchema => ({
  type,
  description,
  ...(items === undefined ? {} : { items: objectOf(items) }),
})

const objectOf = (object: TemplateObject): ObjectSchema => {
  const entries = Object.entries(object)
  const asked = (requirement: Requirement): Set<string> =>
    new Set(entries.filter(([, [, each]]) => each === requirement).map(([name]) => name))
  return {
    properties: new Map(entries.map(([name, property]) => [name, propertyOf(property)])),
    required: asked('required'),
    recommended: asked('recommended'),
  }
}

/** The JSON text of a template's schema. */
export const templateSchema = ({ events, user }: Pick<Template, 'events' | 'user'>): string => {
  const schema: SourceSchema = {
    events: new Map(Object.entries(events).map(([title, event]) => [title, objectOf(event)])),
    ...(user === undefined ? {} : { user: objectOf(user) }),
  }
  return formatSourceSchema(schema)
}

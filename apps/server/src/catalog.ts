import type { DestinationDefinition } from '@tributary/connector-kit'
import { webhook } from '@tributary/destination-webhook'

/** Every destination there is, by the slug of its folder. */
export const destinationDefinitions: ReadonlyMap<string, DestinationDefinition> = new Map(
  [webhook].map((definition) => [definition.slug, definition]),
)

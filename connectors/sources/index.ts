import type { SourceDefinition } from './definition.ts'
import { http } from './http/source.ts'
import { javascript } from './javascript/source.ts'
import { node } from './node/source.ts'
import { pixel } from './pixel/source.ts'
import { rudderstackJavascript } from './rudderstack-javascript/source.ts'
import { rudderstackNode } from './rudderstack-node/source.ts'

export type { SourceDefinition, SourceGuideStep } from './definition.ts'

/** What a source can be made of, in the order the catalogue shows it. */
export const sourceDefinitions: readonly SourceDefinition[] = [
  javascript,
  node,
  http,
  pixel,
  rudderstackJavascript,
  rudderstackNode,
]

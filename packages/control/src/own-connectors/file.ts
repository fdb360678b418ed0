import { ownConnectorLimits } from '@tributary/contract'
import { badRequest } from '@tributary/kernel'
import { z } from 'zod'

/** The form of an exported file. A later form has another number. */
const exported = z.object({
  tributary_own_connector: z.literal(1),
  title: z.string().min(1).max(200),
  guide: z.string().max(ownConnectorLimits.guideCharacters),
  description: z.string().max(ownConnectorLimits.descriptionBytes),
})

type Content = { title: string; description: string; guide: string }

/** Returns a file that `fileContent` reads. The description is a text in it, so that it stays as it was written. */
export const fileOf = ({ title, guide, description }: Content): string =>
  `${JSON.stringify({ tributary_own_connector: 1, title, guide, description }, null, 2)}\n`

const refuse = (text: string): Error => badRequest('VALIDATION', text, { file: text })

/** Reads an exported file, or a description alone. Throws 400 if it is neither. */
export const fileContent = (file: string): Content => {
  let given: unknown
  try {
    given = JSON.parse(file)
  } catch (error) {
    throw refuse(`The file is no JSON: ${error instanceof Error ? error.message : ''}`)
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw refuse('The file is no JSON object')
  const most = ownConnectorLimits.descriptionBytes
  if ('tributary_own_connector' in given) {
    const { data, error } = exported.safeParse(given)
    if (data === undefined) throw refuse(`The file cannot be read: ${error.issues[0]?.message ?? ''}`)
    if (Buffer.byteLength(data.description) > most) throw refuse(`The description has more than ${most / 1024} KB`)
    return { title: data.title, description: data.description, guide: data.guide }
  }
  if (Buffer.byteLength(file) > most) throw refuse(`The description has more than ${most / 1024} KB`)
  const title = 'title' in given && typeof given.title === 'string' ? given.title : ''
  return { title, description: file, guide: '' }
}

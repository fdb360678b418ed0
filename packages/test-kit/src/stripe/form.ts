/** A parsed form: texts, and nested parts by name or index. */
export type Form = { [name: string]: string | Form }

/** Parses a form-encoded body with nested names such as `items[0][price]=…` (docs.stripe.com/api). */
export const readForm = (text: string): Form => {
  const form: Form = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const path = [name.split('[')[0] ?? '', ...[...name.matchAll(/\[([^\]]*)\]/g)].map((match) => match[1] ?? '')]
    let place = form
    for (const key of path.slice(0, -1)) {
      const below = place[key]
      const next: Form = typeof below === 'object' ? below : {}
      place[key] = next
      place = next
    }
    place[path.at(-1) ?? ''] = value
  }
  return form
}

/** The text at a path of a form; undefined when there is none. */
export const textAt = (form: Form, ...path: string[]): string | undefined => {
  let place: string | Form | undefined = form
  for (const key of path) place = typeof place === 'object' ? place[key] : undefined
  return typeof place === 'string' ? place : undefined
}

/** The part of a form below a path. */
export const formAt = (form: Form, ...path: string[]): Form | undefined => {
  let place: string | Form | undefined = form
  for (const key of path) place = typeof place === 'object' ? place[key] : undefined
  return typeof place === 'object' ? place : undefined
}

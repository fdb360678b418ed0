import type { DestinationDefinition } from '../definition/definition.ts'

type Step = DestinationDefinition['docs']['steps'][number]

/**
 * Reads the steps of a set-up guide from Markdown: each heading of level two begins a step, and a block of code with
 * three backticks is its code. Throws for a text before the first heading, and for a step with two blocks of code.
 */
export const readGuide = (markdown: string): Step[] =>
  markdown
    .replaceAll('\r\n', '\n')
    .split(/^## /m)
    .flatMap((part, at): Step[] => {
      if (at === 0) {
        if (part.trim() !== '') throw new Error('A guide begins with a heading: ## Title')
        return []
      }
      const [title = '', ...lines] = part.split('\n')
      const fences = lines.flatMap((line, index) => (line.startsWith('```') ? [index] : []))
      const [from, to] = fences
      if (from === undefined) return [{ title: title.trim(), text: lines.join('\n').trim() }]
      if (to === undefined || fences.length > 2) throw new Error(`The step "${title}" has no single block of code`)
      const language = lines[from]?.slice(3).trim() ?? ''
      const text = [...lines.slice(0, from), ...lines.slice(to + 1)].join('\n').trim()
      const code = lines.slice(from + 1, to).join('\n')
      return [{ title: title.trim(), text, code, language: language === '' ? 'text' : language }]
    })

import { useEffect, useState } from 'react'

/** Time in ms without typing before a template is parsed. */
const rest = 200

/**
 * Returns why a text is not a valid template, as `Error at {context}`. Returns undefined for a valid template. Returns
 * undefined if the parser cannot be loaded: the server parses the template again.
 */
export const templateProblem = async (text: string): Promise<string | undefined> => {
  try {
    const { parseTemplate } = await import('./liquid-parser.ts')
    return parseTemplate(text)
  } catch {
    return undefined
  }
}

/** Returns the problem of a template while the user types, updated when typing pauses; undefined without a text. */
export const useTemplateProblem = (text: string | undefined): string | undefined => {
  const [found, setFound] = useState<{ text: string; problem: string | undefined } | undefined>()
  useEffect(() => {
    if (text === undefined || text === '') return
    let old = false
    const timer = setTimeout(() => {
      void templateProblem(text).then((problem) => {
        if (!old) setFound({ text, problem })
      })
    }, rest)
    return () => {
      old = true
      clearTimeout(timer)
    }
  }, [text])
  // The previous problem stays until typing pauses. An empty text has no problem.
  return text === undefined || text === '' ? undefined : found?.problem
}

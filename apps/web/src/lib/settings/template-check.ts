import { useEffect, useState } from 'react'

/** How long (ms) typing rests before a template is parsed. */
const rest = 200

/**
 * Why a text is no template, as `Error at {context}`; undefined when it is one, and when the parser cannot be loaded: the
 * server parses it again.
 */
export const templateProblem = async (text: string): Promise<string | undefined> => {
  try {
    const { parseTemplate } = await import('./liquid-parser.ts')
    return parseTemplate(text)
  } catch {
    return undefined
  }
}

/** The problem of a template while it is written, reported when typing rests; undefined without a text. */
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
  // The former problem stays until typing rests; an empty text has none.
  return text === undefined || text === '' ? undefined : found?.problem
}

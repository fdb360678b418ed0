import { useEffect } from 'react'

/** Sets the document's title to "{title} | Tributary". With undefined, leaves it unchanged. */
export const useDocumentTitle = (title: string | undefined): void => {
  useEffect(() => {
    if (title === undefined) return
    document.title = title === '' ? 'Tributary' : `${title} | Tributary`
  }, [title])
}

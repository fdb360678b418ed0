// Runs before everything else: the strict content policy forbids compiled validators, and a chosen theme must not flash
// the other one. The key is the one of src/lib/browser/ui-store.ts.
globalThis.__zod_globalConfig = { jitless: true }
// Where the browser gives no storage, what would be kept there lasts as long as the page.
for (const name of ['localStorage', 'sessionStorage'])
  try {
    globalThis[name].getItem('')
  } catch {
    const kept = new Map()
    const value = {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, text) => kept.set(key, String(text)),
      removeItem: (key) => kept.delete(key),
    }
    Object.defineProperty(globalThis, name, { configurable: true, value })
  }
try {
  const theme = JSON.parse(localStorage.getItem('tributary-ui') ?? '{}').state?.theme
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // A broken entry means the system's theme.
}

import { buildApp, pageName } from '../../service/app/build-app.ts'

/** Bytes of the scripts as sent with gzip: of the whole application, and of its first screen. */
export async function scriptBytes(root: string): Promise<{ readonly all: number; readonly first: number }> {
  const files = await buildApp(root)
  const page = files.get(pageName)?.bytes.toString() ?? ''
  const scripts = [...files].filter(([name]) => name.endsWith('.js'))
  const sum = (chosen: typeof scripts) =>
    chosen.reduce((bytes, [, file]) => bytes + (file.gzip ?? file.bytes).length, 0)
  return { all: sum(scripts), first: sum(scripts.filter(([name]) => page.includes(name))) }
}

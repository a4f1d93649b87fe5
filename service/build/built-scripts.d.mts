export function builtScript(root: string, script: string): Promise<string>
export function buildScripts(project: string, outdir: string, scripts: readonly string[]): Promise<void>

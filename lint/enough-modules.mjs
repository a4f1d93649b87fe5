/**
 * The end of the check of imports: passes the output of dependency-cruiser on, and exits with 1 unless it reports no violation in at least as many
 * modules as the product has had for long. A tool that reads no file reports no violation either.
 */
const fewest = 800

const chunks = []
for await (const chunk of process.stdin) chunks.push(chunk)
const said = Buffer.concat(chunks).toString()
process.stdout.write(said)
const modules = Number(/(\d{1,9}) modules/.exec(said)?.[1] ?? 0)
if (modules < fewest)
  console.error(`Only ${modules} modules were read, and there are more than ${fewest}: the check says nothing`)
process.exitCode = said.includes('no dependency violations found') && modules >= fewest ? 0 : 1

// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs networks in ONNX Runtime, all in one process: node run_onnx.js JOBS.json ANSWERS.json.
///
/// JOBS is a list of {model, inputs: [{name, type, shape, file}], outputs}: files of raw little-endian elements, and the
/// start of the names of the files to write. ANSWERS is, job by job, a list of outputs like the inputs. A job may say
/// optimized, where the graph that ONNX Runtime really runs is to be written, and optimization, a level of its own. A
/// network that ONNX Runtime refuses is one line, and {error} among the answers. Exit 1: some were refused. Finds ONNX
/// Runtime through NODE_PATH.
///
/// node run_onnx.js --time MODEL INPUT RUNS prints the processor time of a run, in milliseconds; INPUT holds at least as
/// many float32 numbers as the largest input of MODEL, and each input takes those from its start.
"use strict";
const fs = require("fs");
const ort = require("onnxruntime-node");

/// One thread, default optimizations, and exact products of unsigned and signed bytes on every processor.
const OPTIONS = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  logSeverityLevel: 4,
  extra: { session: { x64quantprecision: "1" } },
};

const ARRAYS = {
  bool: Uint8Array,
  float32: Float32Array,
  float64: Float64Array,
  uint8: Uint8Array,
  int8: Int8Array,
  int32: Int32Array,
  int64: BigInt64Array,
};

function readTensor({ type, shape, file }) {
  const bytes = fs.readFileSync(file);
  const elements = new ARRAYS[type](bytes.length / ARRAYS[type].BYTES_PER_ELEMENT);
  new Uint8Array(elements.buffer).set(bytes);
  return new ort.Tensor(type, elements, shape);
}

function writeTensor(name, tensor, file) {
  const { buffer, byteOffset, byteLength } = tensor.data;
  fs.writeFileSync(file, Buffer.from(buffer, byteOffset, byteLength));
  return { name, type: tensor.type, shape: [...tensor.dims], file };
}

async function answer(job) {
  const options = { ...OPTIONS, graphOptimizationLevel: job.optimization ?? "all" };
  if (job.optimized) {
    options.optimizedModelFilePath = job.optimized;
  }
  const session = await ort.InferenceSession.create(job.model, options);
  const feeds = Object.fromEntries(job.inputs.map((input) => [input.name, readTensor(input)]));
  const results = await session.run(feeds);
  const outputs = session.outputNames.map((name, i) => writeTensor(name, results[name], `${job.outputs}${i}.bin`));
  await session.release();
  return { outputs };
}

/// Runs before those that count, as in time_network.cpp.
const WARM_UP_RUNS = 3;

async function time([model, inputFile, runs]) {
  const session = await ort.InferenceSession.create(model, OPTIONS);
  const feeds = {};
  for (const { name, shape } of session.inputMetadata) {
    const dims = shape.map((dim) => (typeof dim === "number" ? dim : 1));
    const elements = new Float32Array(dims.reduce((product, dim) => product * dim, 1));
    new Uint8Array(elements.buffer).set(fs.readFileSync(inputFile).subarray(0, elements.byteLength));
    feeds[name] = new ort.Tensor("float32", elements, dims);
  }
  let start;
  for (let run = -WARM_UP_RUNS; run < Number(runs); ++run) {
    start = run === 0 ? process.cpuUsage() : start;
    await session.run(feeds);
  }
  const { user, system } = process.cpuUsage(start);
  console.log(((user + system) / 1e3 / Number(runs)).toFixed(4));
}

async function main([jobsFile, answersFile]) {
  const answers = [];
  for (const job of JSON.parse(fs.readFileSync(jobsFile, "utf8"))) {
    try {
      answers.push(await answer(job));
    } catch (error) {
      const words = String(error.message ?? error).replace(/\s+/g, " ");
      console.error(`${job.model}: ${words}`);
      answers.push({ error: words });
      process.exitCode = 1;
    }
  }
  fs.writeFileSync(answersFile, JSON.stringify(answers));
}

const words = process.argv.slice(2);
if (words[0] === "--time") {
  time(words.slice(1)).catch((error) => {
    console.error(`${words[1]}: ${String(error.message ?? error).replace(/\s+/g, " ")}`);
    process.exitCode = 1;
  });
} else {
  main(words);
}
